import type { FailureCode } from '../errors.ts'

/** What usually mends a failure, by its code: one or two sentences. The failures page of the documentation is made from it. */
export const remedies: Readonly<Record<FailureCode, string>> = {
  input: 'Correct the input that the message names in the workflow.',
  manifest: 'Correct the manifest at the line that the message names.',
  unsupported: 'Remove what is not supported, or write it in the way that the message proposes.',
  connection:
    'Check the address and port in `host`, that the SSH server can be reached from the runner, and that the docker socket is there.',
  'host-key':
    'Compare the fingerprint with `ssh-keygen -lf` on the server itself. If the key was changed on purpose, update `known-hosts` or `host-fingerprint`.',
  authentication:
    "Check the user in `host` and that the public half of `ssh-key` is in that user's `~/.ssh/authorized_keys`.",
  'not-a-manager':
    'Point `host` at a manager node of a swarm that has a quorum of managers (`docker node ls` works there).',
  forbidden: 'Remove what the workflow does not allow from the manifest, or allow it in the workflow.',
  'missing-resource':
    'Create the network, secret or config that the message names, or declare it in the manifest without `external`.',
  conflict: 'Someone else changed the stack at the same time. Let one deployment finish, then run this one again.',
  engine:
    'Read what the engine answered, above. If nothing is wrong with the request, look into the log of dockerd on the manager.',
  'image-pull':
    'Check that the image and tag exist, that the nodes can reach the registry, and that `registry-auth` holds credentials for it that are right, not expired, and may read the image: a node often calls an image that it may not pull one that does not exist.',
  'crash-loop':
    "Read the task's log: the process ends soon after its start. Check its command, its configuration, and whether what it depends on can be reached.",
  exited:
    "Read the task's log: the process ended by itself. What serves has to keep running in the foreground; what runs once has to end with exit code 0, and needs `restart_policy: condition: none` or a job mode.",
  'out-of-memory': 'Raise `deploy.resources.limits.memory`, or let the process use less.',
  unhealthy:
    'Run the health check by hand in a container of this image. If the service only needs longer to start, raise `healthcheck.start_period`.',
  'no-suitable-node':
    'Compare the placement constraints, reservations, platforms and published ports of the service with the nodes (`docker node ls`, `docker node inspect`). A drained or paused node takes tasks again after `docker node update --availability active`.',
  'port-in-use':
    'Another process or container on that node has the port. Publish another one, stop what holds it, or constrain the service to other nodes.',
  mount:
    "Make the path or volume exist on every node where the service may run, or constrain the service to the nodes that have it. A relative path of the manifest is one of the runner's checkout unless `bind-root` says where it lies on the nodes.",
  network:
    "Check that the network exists and has free addresses, that its subnet overlaps no other, and that the nodes reach each other's ports 7946 and 4789.",
  rejected: 'The node refused the task. Read its error, and the log of dockerd on that node.',
  'rolled-back':
    'The new version failed and Swarm went back to the one before. Mend what made its tasks fail, then deploy again.',
  paused:
    'Swarm stopped the update because new tasks failed; old and new ones run side by side. Mend what made them fail and deploy again, or go back with `docker service rollback` on a manager.',
  removed: 'Someone or something removed the service during the deployment. Deploy again once nobody else does.',
  stalled:
    'Look at the node that the message names: an image may be large, a registry slow, or the node overloaded. Raise `timeout` if it only needs longer.',
  timeout: 'See what was still missing. If it only needs longer, raise `timeout`.',
  cancelled: 'Run the workflow again, or go back with the command that the log names.',
  internal:
    'This is a fault of the action: please report it in its repository, with the log of a run with debug logging. Running the workflow again is safe: what is as wanted is left alone.',
}
