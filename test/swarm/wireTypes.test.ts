// That src/swarm has every type of the swarm's API with every member, and that the check against engines can fail.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseTypes } from '../support/typeSource.ts'
import { wireTypes } from '../support/wireTypes.ts'

const types = wireTypes()

/** File → type → its members in order, `?` where it may be absent; of a union of texts, those. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'cluster.ts': {
    Swarm:
      'Version CreatedAt UpdatedAt ID Spec TLSInfo RootRotationInProgress DefaultAddrPool SubnetSize DataPathPort JoinTokens',
    ClusterInfo:
      'Version CreatedAt UpdatedAt ID Spec TLSInfo RootRotationInProgress DefaultAddrPool SubnetSize DataPathPort',
    JoinTokens: 'Worker Manager',
    TLSInfo: 'TrustRoot? CertIssuerSubject? CertIssuerPublicKey?',
    Spec: 'Name? Labels? Orchestration Raft Dispatcher CAConfig TaskDefaults EncryptionConfig AcceptancePolicy?',
    OrchestrationConfig: 'TaskHistoryRetentionLimit?',
    RaftConfig: 'SnapshotInterval? KeepOldSnapshots? LogEntriesForSlowFollowers? ElectionTick HeartbeatTick',
    DispatcherConfig: 'HeartbeatPeriod?',
    CAConfig: 'NodeCertExpiry? ExternalCAs? SigningCACert? SigningCAKey? ForceRotate?',
    ExternalCA: 'Protocol URL Options? CACert',
    ExternalCAProtocol: 'cfssl',
    TaskDefaults: 'LogDriver?',
    EncryptionConfig: 'AutoLockManagers',
    AcceptancePolicy: 'Policies?',
    Policy: 'Role Autoaccept Secret?',
    InitRequest:
      'ListenAddr AdvertiseAddr? DataPathAddr? DataPathPort? ForceNewCluster? Spec? AutoLockManagers? Availability? DefaultAddrPool? SubnetSize?',
    JoinRequest:
      'ListenAddr AdvertiseAddr? DataPathAddr? RemoteAddrs JoinToken Availability? Secret? CACertHash? Manager?',
    UnlockRequest: 'UnlockKey',
    UnlockKeyResponse: 'UnlockKey',
    UpdateFlags: 'RotateWorkerToken RotateManagerToken RotateManagerUnlockKey',
  },
  'clusterVolume.ts': {
    ClusterVolume: 'Version CreatedAt UpdatedAt ID Spec PublishStatus? Info?',
    ClusterVolumeSpec: 'Group? AccessMode? AccessibilityRequirements? CapacityRange? Secrets? Availability?',
    VolumeAvailability: 'active pause drain',
    AccessMode: 'Scope? Sharing? MountVolume? BlockVolume?',
    TypeMount: 'FsType? MountFlags?',
    TypeBlock: '',
    TopologyRequirement: 'Requisite? Preferred?',
    Topology: 'Segments?',
    CapacityRange: 'RequiredBytes LimitBytes',
    VolumeSecret: 'Key Secret',
    PublishStatus: 'NodeID? State? PublishContext?',
    VolumeInfo: 'CapacityBytes? VolumeContext? VolumeID? AccessibleTopology?',
    VolumeAttachment: 'ID? Source? Target?',
  },
  'common.ts': {
    Int64: '',
    Nanoseconds: '',
    Timestamp: '',
    Labels: '',
    Version: 'Index',
    Meta: 'Version CreatedAt UpdatedAt',
    Annotations: 'Name? Labels?',
    Driver: 'Name? Options?',
    Platform: 'Architecture? OS?',
  },
  'info.ts': {
    SystemInfo: 'ID? Name ServerVersion SystemTime? Swarm',
    LocalNodeState: 'inactive pending active error locked',
    Info: 'NodeID NodeAddr LocalNodeState ControlAvailable Error RemoteManagers Nodes? Managers? Cluster? Warnings? CACertHash?',
    Status: 'NodeState ControlAvailable',
    Peer: 'NodeID Addr',
  },
  'mount.ts': {
    MountType: 'bind volume tmpfs npipe image cluster',
    Mount:
      'Type? Source? Target? ReadOnly? Writable? Consistency? BindOptions? VolumeOptions? ImageOptions? TmpfsOptions? ClusterOptions?',
    MountPropagation: 'rprivate private rshared shared rslave slave',
    BindOptions: 'Propagation? NonRecursive? CreateMountpoint? ReadOnlyNonRecursive? ReadOnlyForceRecursive?',
    VolumeOptions: 'NoCopy? Populate? Labels? Subpath? DriverConfig?',
    ImageOptions: 'Subpath?',
    TmpfsOptions: 'SizeBytes? Mode? Options?',
    ClusterOptions: '',
  },
  'network.ts': {
    Network:
      'Id Name Created? Scope Driver EnableIPv4? EnableIPv6? IPAM? Internal? Attachable? Ingress? ConfigFrom? ConfigOnly? Containers? Options? Labels? Peers? Services? Status?',
    NetworkStatus: 'IPAM',
    SubnetStatus: 'IPsInUse DynamicIPsAvailable',
    EndpointResource: 'Name EndpointID MacAddress IPv4Address IPv6Address',
    PeerInfo: 'Name IP',
    ServiceInfo: 'VIP Ports? LocalLBIndex Tasks?',
    NetworkTask: 'Name EndpointID EndpointIP Info?',
    NetworkCreateRequest:
      'Name Driver Scope? EnableIPv4? EnableIPv6? IPAM? Internal? Attachable? Ingress? ConfigOnly? ConfigFrom? Options? Labels?',
    IPAMOptions: 'Driver? Options? Config?',
    IPAMConfig: 'Subnet? IPRange? Gateway? AuxiliaryAddresses?',
    NetworkAttachmentConfig: 'Target? Aliases? DriverOpts?',
    EndpointSpec: 'Mode? Ports?',
    ResolutionMode: 'vip dnsrr',
    PortConfig: 'Name? Protocol? TargetPort? PublishedPort? PublishMode?',
    PortConfigProtocol: 'tcp udp sctp',
    PortConfigPublishMode: 'ingress host',
    EndpointVirtualIP: 'NetworkID? Addr?',
  },
  'networkAttachment.ts': {
    NetworkAttachment: 'Network Addresses?',
    Network: 'Version CreatedAt UpdatedAt ID Spec DriverState IPAMOptions?',
    NetworkSpec:
      'Name? Labels? DriverConfiguration? IPv6Enabled? Internal? Attachable? Ingress? IPAMOptions? ConfigFrom? Scope?',
    NetworkScope: 'swarm local global',
    IPAMOptions: 'Driver? Configs?',
    IPAMConfig: 'Subnet? Range? Gateway?',
  },
  'node.ts': {
    Node: 'Version CreatedAt UpdatedAt ID Spec Description Status ManagerStatus?',
    NodeSpec: 'Name? Labels? Role? Membership? Availability?',
    NodeRole: 'worker manager',
    NodeMembership: 'pending accepted',
    NodeAvailability: 'active pause drain',
    NodeDescription: 'Hostname? Platform? Resources? Engine? TLSInfo? CSIInfo?',
    EngineDescription: 'EngineVersion? Labels? Plugins?',
    PluginDescription: 'Type? Name?',
    NodeCSIInfo: 'PluginName? NodeID? MaxVolumesPerNode? AccessibleTopology?',
    NodeState: 'unknown down ready disconnected',
    NodeStatus: 'State? Message? Addr?',
    Reachability: 'unknown unreachable reachable',
    ManagerStatus: 'Leader? Reachability? Addr?',
  },
  'privileges.ts': {
    Privileges: 'CredentialSpec? SELinuxContext? Seccomp? AppArmor? NoNewPrivileges?',
    CredentialSpec: 'Config? File? Registry?',
    SELinuxContext: 'Disable User? Role? Type? Level?',
    SeccompOpts: 'Mode? Profile?',
    SeccompMode: 'default unconfined custom',
    AppArmorOpts: 'Mode?',
    AppArmorMode: 'default disabled',
  },
  'secret.ts': {
    SecretSpec: 'Name? Labels? Data? Driver? Templating?',
    Secret: 'Version CreatedAt UpdatedAt ID Spec',
    ConfigSpec: 'Name? Labels? Data? Templating?',
    Config: 'Version CreatedAt UpdatedAt ID Spec',
  },
  'service.ts': {
    Service: 'Version CreatedAt UpdatedAt ID Spec PreviousSpec? Endpoint? UpdateStatus? ServiceStatus? JobStatus?',
    ServiceSpec: 'Name? Labels? TaskTemplate Mode? UpdateConfig? RollbackConfig? Networks? EndpointSpec?',
    ServiceMode: 'Replicated? Global? ReplicatedJob? GlobalJob?',
    ReplicatedService: 'Replicas?',
    GlobalService: '',
    GlobalJob: '',
    ReplicatedJob: 'MaxConcurrent? TotalCompletions?',
    JobStatus: 'JobIteration LastExecution?',
    ServiceStatus: 'RunningTasks DesiredTasks CompletedTasks',
    UpdateState: 'updating paused completed rollback_started rollback_paused rollback_completed',
    UpdateStatus: 'State? StartedAt? CompletedAt? Message?',
    UpdateConfig: 'Parallelism? Delay? FailureAction? Monitor? MaxFailureRatio? Order?',
    FailureAction: 'pause continue rollback',
    UpdateOrder: 'stop-first start-first ',
    Endpoint: 'Spec Ports? VirtualIPs?',
    TaskSpec:
      'ContainerSpec? PluginSpec? NetworkAttachmentSpec? Resources? RestartPolicy? Placement? Networks? LogDriver? ForceUpdate? Runtime?',
    RuntimeType: 'container plugin attachment',
    PluginSpec: 'name? remote? privileges? disabled? env?',
    PluginPrivilege: 'name? description? value?',
    NetworkAttachmentSpec: 'ContainerID?',
    ContainerSpec:
      'Image? Labels? Command? Args? Hostname? Env? Dir? User? Groups? Privileges? Init? StopSignal? TTY? OpenStdin? ReadOnly? Mounts? StopGracePeriod? Healthcheck? Hosts? DNSConfig? Secrets? Configs? Isolation? Sysctls? CapabilityAdd? CapabilityDrop? Ulimits? OomScoreAdj?',
    Isolation: ' default process hyperv',
    HealthConfig: 'Test? Interval? Timeout? StartPeriod? StartInterval? Retries?',
    DNSConfig: 'Nameservers? Search? Options?',
    FileTarget: 'Name UID GID Mode',
    SecretReference: 'File? SecretID SecretName',
    ConfigReference: 'File? Runtime? ConfigID ConfigName',
    Ulimit: 'Name Hard Soft',
    ResourceRequirements: 'Limits? Reservations?',
    ResourceLimits: 'NanoCPUs? MemoryBytes? Pids?',
    Resources: 'NanoCPUs? MemoryBytes? GenericResources?',
    GenericResource: 'NamedResourceSpec? DiscreteResourceSpec?',
    NamedGenericResource: 'Kind? Value?',
    DiscreteGenericResource: 'Kind? Value?',
    RestartPolicy: 'Condition? Delay? MaxAttempts? Window?',
    RestartPolicyCondition: 'none on-failure any',
    Placement: 'Constraints? Preferences? MaxReplicas? Platforms?',
    PlacementPreference: 'Spread?',
    SpreadOver: 'SpreadDescriptor?',
  },
  'task.ts': {
    TaskState:
      'new allocated pending assigned accepted preparing ready starting running complete shutdown failed rejected remove orphaned',
    Task: 'Version CreatedAt UpdatedAt Name? Labels? ID Spec ServiceID Slot? NodeID? Status DesiredState JobIteration? NetworksAttachments? GenericResources? Volumes?',
    TaskStatus: 'Timestamp State Message? Err? ContainerStatus? PortStatus?',
    PortStatus: 'Ports?',
    ContainerStatus: 'ContainerID? PID? ExitCode?',
  },
}

test('every type is there, with these members, and these may be absent', () => {
  const found = types.names.map((name) => name.replace('./', '').split(' '))
  const actual = found.map(([file = '', type = '']) => [`${file} ${type}`, types.describe(type, file).join(' ')])
  const known = new Map(actual.map(([name = '', members = '']) => [name, members]))
  for (const [file, ofFile] of Object.entries(expected)) {
    for (const [type, members] of Object.entries(ofFile)) {
      assert.equal(known.get(`${file} ${type}`), members, `${file} ${type}`)
    }
  }
})

describe('what does not fit a type is told with its place', () => {
  const meta = { ID: 'i', Version: { Index: 1 }, CreatedAt: '', UpdatedAt: '' }
  const task = {
    ...meta,
    Spec: {},
    ServiceID: 's',
    Status: { Timestamp: '', State: 'running' },
    DesiredState: 'running',
  }
  const cases: readonly (readonly [what: string, value: unknown, problems: readonly string[]])[] = [
    ['all well', task, []],
    ['an unknown member', { ...task, Colour: 'red' }, ['Task.Colour: unknown member']],
    [
      'an unknown member far down',
      { ...task, NetworksAttachments: [{ Network: { ...meta, Spec: { Shape: 1 }, DriverState: {} } }] },
      ['Task.NetworksAttachments[0].Network.Spec.Shape: unknown member'],
    ],
    ['an unknown value', { ...task, DesiredState: 'lost' }, ['Task.DesiredState: unknown value "lost"']],
    ['a missing member', { ...task, Status: { State: 'running' } }, ['Task.Status.Timestamp: missing']],
    ['a missing inherited one', { ...task, Version: {} }, ['Task.Version.Index: missing']],
    ['null where it may not be', { ...task, ServiceID: null }, ['Task.ServiceID: null instead of string']],
    ['null where it may be', { ...task, NetworksAttachments: null, JobIteration: {} }, []],
    ['another kind', { ...task, Slot: '1' }, ['Task.Slot: string instead of number']],
    ['no list', { ...task, Volumes: {} }, ['Task.Volumes: object instead of a list']],
    ['no object', 7, ['Task: number instead of an object']],
    ['a wrong value in a map', { ...task, Labels: { a: 1 } }, ['Task.Labels.a: number instead of string']],
    [
      'a wrong member of one alternative',
      { ...task, Spec: { ContainerSpec: { Mounts: [{ Type: 'floppy' }] } } },
      ['Task.Spec.ContainerSpec.Mounts[0].Type: unknown value "floppy"'],
    ],
    [
      'something in a type without members',
      { ...task, Spec: { ContainerSpec: { Mounts: [{ ClusterOptions: { a: 1 } }] } } },
      ['Task.Spec.ContainerSpec.Mounts[0].ClusterOptions.a: number instead of never'],
    ],
  ]
  for (const [what, value, problems] of cases) {
    test(what, () => assert.deepEqual(types.problems(value, 'Task', 'task.ts'), problems))
  }
})

test('a type in a form that the reader does not know is an error, not a type without members', () => {
  for (const source of ['interface A {\n  b: string\n}', 'interface A {\n  readonly [key: string]: string\n}']) {
    assert.throws(() => parseTypes(source), /type A/, source)
  }
  const names = new Map([['./a.ts', parseTypes('interface A {\n  readonly b: Gone\n}')]])
  assert.throws(() => wireTypes(names).problems({ b: 1 }, 'A', 'a.ts'), /names a type Gone that is nowhere/)
})
