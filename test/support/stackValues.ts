// Stacks for tests that need no manifest: every field has the value that a manifest without the key gives it.
import type {
  Deploy,
  FileDefinition,
  FileReference,
  NetworkDefinition,
  Port,
  Service,
  ServiceVolume,
  Stack,
  UpdateConfig,
  VolumeDefinition,
} from '../../src/compose/stack.ts'
import type { Position } from '../../src/errors.ts'

/** A place in `stack.yml`; tests that tell places apart give each its own line. */
export function at(line: number, column = 1): Position {
  return { file: 'stack.yml', line, column }
}

const none: ReadonlyMap<string, string> = new Map()

export function aStack(parts: Partial<Stack> = {}): Stack {
  return {
    version: '3.13',
    services: [],
    networks: new Map(),
    volumes: new Map(),
    secrets: new Map(),
    configs: new Map(),
    ...parts,
  }
}

export function aService(
  parts: Partial<Omit<Service, 'deploy'>> & { readonly deploy?: Partial<Deploy> } = {},
): Service {
  return {
    name: 'web',
    places: { service: at(2) },
    image: 'nginx',
    command: [],
    entrypoint: [],
    environment: none,
    hostname: '',
    user: '',
    workingDir: '',
    labels: none,
    capAdd: [],
    capDrop: [],
    configs: [],
    secrets: [],
    dns: [],
    dnsSearch: [],
    dnsGiven: false,
    extraHosts: [],
    isolation: '',
    oomScoreAdj: 0,
    ports: [],
    readOnly: false,
    restart: '',
    stdinOpen: false,
    stopSignal: '',
    sysctls: none,
    tty: false,
    ulimits: new Map(),
    volumes: [],
    ...parts,
    deploy: aDeploy(parts.deploy),
  }
}

export function aDeploy(parts: Partial<Deploy> = {}): Deploy {
  return {
    mode: '',
    labels: none,
    resources: {},
    placement: { constraints: [], preferences: [], maxReplicasPerNode: 0 },
    endpointMode: '',
    ...parts,
  }
}

export function anUpdate(parts: Partial<UpdateConfig> = {}): UpdateConfig {
  return { delay: 0, failureAction: '', monitor: 0, maxFailureRatio: 0, order: '', ...parts }
}

export function aPort(published: number, parts: Partial<Port> = {}): Port {
  return { mode: 'ingress', target: 80, published, protocol: 'tcp', place: at(10), ...parts }
}

export function aMount(
  type: string,
  source: string,
  target: string,
  parts: Partial<ServiceVolume> = {},
): ServiceVolume {
  return { type, source, target, readOnly: false, consistency: '', place: at(20), ...parts }
}

export function aReference(source: string, parts: Partial<FileReference> = {}): FileReference {
  return { source, target: '', uid: '', gid: '', place: at(30), ...parts }
}

export function aNetwork(parts: Partial<NetworkDefinition> = {}): NetworkDefinition {
  return {
    name: '',
    driver: '',
    driverOpts: none,
    external: false,
    internal: false,
    attachable: false,
    labels: none,
    place: at(40),
    ...parts,
  }
}

export function aVolume(parts: Partial<VolumeDefinition> = {}): VolumeDefinition {
  return { name: '', driver: '', driverOpts: none, external: false, labels: none, place: at(50), ...parts }
}

/** A secret or config with the text as its content. */
export function aFile(text: string | undefined, parts: Partial<FileDefinition> = {}): FileDefinition {
  return {
    name: '',
    data: text === undefined ? undefined : new TextEncoder().encode(text),
    file: text === undefined ? '' : './file.txt',
    external: false,
    labels: none,
    driver: '',
    driverOpts: none,
    templateDriver: '',
    place: at(60),
    ...parts,
  }
}
