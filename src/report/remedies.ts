import type { FailureCode } from '../errors.ts'

/** What usually mends a failure of each kind; shown where the failure itself knows nothing better. docs/outputs.md lists them. */
export const REMEDIES: Readonly<Record<FailureCode, string>> = {
  input: 'Mend the inputs named above; docs/inputs.md describes each.',
  manifest: 'Mend the stack file at the lines named above.',
  unsupported: 'Take the key out of the stack file, or wait for a version that knows it.',
  connection: 'Check address, port and firewall between the runner and the manager, and that its Docker engine is up.',
  'host-key':
    'If the host was set up anew, replace its line in `known-hosts` or `host-fingerprint`; if not, someone is in between.',
  authentication: 'Check the user in `host`, and that the public half of `ssh-key` is in its authorized_keys.',
  'not-a-manager': 'Set `host` to a manager of the swarm: `docker node ls` on one names them all.',
  forbidden: 'Ask whoever guards this repository or swarm: the rule that refused it is named above.',
  'missing-resource': 'Create the missing object in the swarm, or correct its name in the stack file.',
  conflict:
    'Someone else changed the stack at the same time: run again, and use `concurrency` to keep deployments apart.',
  engine: 'Read what the engine said above; `journalctl -u docker` on the manager may say more.',
  'image-pull': 'Check the image name and tag, and that `registry-auth` has a credential for its registry.',
  'crash-loop': 'Read the log of the failed task; run the image with the same command and environment to see it crash.',
  exited:
    'Read the log of the failed task and its exit code; a service that is meant to end needs `mode: replicated-job`.',
  'out-of-memory': 'Raise `deploy.resources.limits.memory`, or lower what the container uses.',
  unhealthy: 'Check the health check and its last output; a slow start needs a longer `start_period`.',
  'no-suitable-node': 'Compare `deploy.placement` and reservations with `docker node ls` and the labels of the nodes.',
  'port-in-use': 'Choose another published port, or stop what holds it.',
  mount: 'Create the missing folder on every node that may run the service, or use a volume.',
  network: 'Check that the network exists, is an attachable overlay in scope swarm, and has free addresses.',
  rejected: 'Read why the node rejected the task above.',
  'rolled-back': 'Swarm put the service back to its former spec: mend what the failed tasks say, and deploy again.',
  paused: 'Swarm paused the update: mend what the failed tasks say; the next deployment resumes it.',
  removed: 'Someone removed the service while it was being watched: deploy again.',
  stalled:
    'Look at the service with `docker service ps --no-trunc`; nodes that are down or unreachable hold tasks back.',
  timeout: 'Raise `timeout` if the services need longer; what was still missing is named above.',
  cancelled: 'Run the workflow again: a deployment goes on where it was.',
  internal: 'This is a fault of the action: please report it with this log.',
}
