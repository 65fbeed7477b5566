// What the in-memory swarm is born with, and what it makes of a request for a network.
import type { ClusterInfo } from '../../src/swarm/cluster.ts'
import type { SystemInfo } from '../../src/swarm/info.ts'
import type { Network, NetworkCreateRequest } from '../../src/swarm/network.ts'
import type { Node } from '../../src/swarm/node.ts'

/** A node that is ready and active. */
export function aNode(hostname: string, parts: Partial<Node> = {}): Node {
  return {
    ID: `${hostname}-id`,
    Version: { Index: 1 },
    CreatedAt: '2026-01-01T00:00:00Z',
    UpdatedAt: '2026-01-01T00:00:00Z',
    Spec: { Role: 'manager', Availability: 'active', Labels: {} },
    Description: { Hostname: hostname, Platform: { Architecture: 'x86_64', OS: 'linux' } },
    Status: { State: 'ready', Addr: '10.0.0.1' },
    ManagerStatus: { Leader: true, Reachability: 'reachable', Addr: '10.0.0.1:2377' },
    ...parts,
  }
}

export function networkFrom(request: NetworkCreateRequest, id: string, created: string): Network {
  return {
    Id: id,
    Name: request.Name,
    Created: created,
    Scope: request.Driver === 'overlay' ? 'swarm' : 'local',
    Driver: request.Driver,
    EnableIPv6: request.EnableIPv6 ?? false,
    IPAM: {
      Driver: request.IPAM?.Driver || 'default',
      Options: null,
      Config: request.IPAM?.Config ?? [{ Subnet: '10.0.1.0/24' }],
    },
    Internal: request.Internal ?? false,
    Attachable: request.Attachable ?? false,
    Ingress: false,
    Options: { 'com.docker.network.driver.overlay.vxlanid_list': '4097', ...request.Options },
    Labels: request.Labels ?? {},
  }
}

/** Whether two published ports are in each other's way. */
export function samePort(
  left: { readonly PublishedPort?: unknown; readonly PublishMode?: string; readonly Protocol?: string },
  right: typeof left,
): boolean {
  const isIngress = (port: typeof left): boolean => (port.PublishMode ?? 'ingress') === 'ingress'
  return (
    Boolean(left.PublishedPort) &&
    left.PublishedPort === right.PublishedPort &&
    (left.Protocol ?? 'tcp') === (right.Protocol ?? 'tcp') &&
    (isIngress(left) || isIngress(right))
  )
}

const aCluster: ClusterInfo = {
  ID: '',
  Version: { Index: 10 },
  CreatedAt: '2026-01-01T00:00:00Z',
  UpdatedAt: '2026-01-01T00:00:00Z',
  Spec: {
    Name: 'default',
    Labels: {},
    Orchestration: { TaskHistoryRetentionLimit: 5 },
    Raft: { ElectionTick: 10, HeartbeatTick: 1 },
    Dispatcher: {},
    CAConfig: {},
    TaskDefaults: {},
    EncryptionConfig: { AutoLockManagers: false },
  },
  TLSInfo: {},
  RootRotationInProgress: false,
  DefaultAddrPool: ['10.0.0.0/8'],
  SubnetSize: 24,
  DataPathPort: 4789,
}

export function infoOf(nodes: readonly Node[], clock: number): SystemInfo {
  const [first] = nodes
  return {
    ID: 'memory',
    Name: first?.Description.Hostname ?? '',
    ServerVersion: '28.5.2',
    SystemTime: new Date(clock).toISOString(),
    Swarm: {
      NodeID: first?.ID ?? '',
      NodeAddr: '10.0.0.1',
      RemoteManagers: [{ NodeID: first?.ID ?? '', Addr: '10.0.0.1:2377' }],
      LocalNodeState: 'active',
      ControlAvailable: true,
      Error: '',
      Nodes: nodes.length,
      Managers: 1,
      Cluster: { ...aCluster, ID: 'memory-cluster' },
    },
  }
}
