#!/bin/bash
# First process of one node of the test bed (bed.mjs starts it): the node's own /etc, /run and /sys, then dockerd and sshd.
# It runs in its own network, mount, pid, uts and ipc namespace, so whoever kills it takes all of that along.
#   bedNode.sh NAME ADDRESS DIR DOCKERD     DIR holds authorized_keys and, for this node, DIR/NAME/
set -eu
name=$1 address=$2 dir=$3 dockerd=$4
here=$dir/$name
sshd=$(command -v sshd || echo /usr/sbin/sshd)

# eth0 is moved in from outside, a moment after this process exists.
for _ in $(seq 250); do ip link show eth0 >/dev/null 2>&1 && break; sleep 0.02; done
hostname "$name"
ip link set lo up
ip addr add "$address/24" dev eth0
ip link set eth0 up

# /sys has to belong to this network, and a fresh one comes without the cgroup mounts: carry them over. It also comes
# without securityfs, which keeps dockerd from loading an AppArmor profile into the machine's kernel.
mkdir "$here/cgroup"
mount --rbind /sys/fs/cgroup "$here/cgroup"
mount -t sysfs sysfs /sys
mount --rbind "$here/cgroup" /sys/fs/cgroup
umount -l "$here/cgroup"

# /etc is a copy in memory: users, resolver, /etc/docker and whatever else dockerd writes there vanish with the node.
mkdir "$here/etc"
mount -t tmpfs -o mode=755 tmpfs "$here/etc"
cp -a /etc/. "$here/etc/"
mount --bind "$here/etc" /etc
mount -t tmpfs -o mode=755 tmpfs /run
# dockerd 20.10 creates /var/lib/docker/network, wherever its data are.
mount -t tmpfs -o mode=755 tmpfs /var/lib
# containerd creates /opt/containerd, unless that is where the engine itself lives.
case $(readlink -f "$dockerd") in /opt/*) ;; *) [ -d /opt ] && mount -t tmpfs tmpfs /opt ;; esac

# A resolver that refuses at once (and no default route): pulling an unknown image fails in milliseconds, not in 30 s.
rm -rf /etc/resolv.conf /etc/docker
mkdir /etc/docker
printf 'nameserver 127.0.0.1\noptions attempts:1 timeout:1\n' >/etc/resolv.conf
# Docker Hub refuses, rather than having no address: for docker 29 the latter may pass, and it goes on preparing for ever.
printf '127.0.0.1 localhost %s registry-1.docker.io\n' "$name" >/etc/hosts

# root with an empty home, `deploy` in the docker group, `nodocker` outside of it. '*' is no password, yet not "locked".
mkdir -p /run/sshd /run/lock /run/home/root /run/home/deploy /run/home/nodocker
sed -i -E 's|^(root:[^:]*:0:0:[^:]*):[^:]*:.*|\1:/run/home/root:/bin/bash|; /^(deploy|nodocker):/d' /etc/passwd
sed -i -E '/^(deploy|nodocker):/d' /etc/shadow
grep -q '^docker:' /etc/group || echo 'docker:x:4000:' >>/etc/group
sed -i -E 's/^(docker:[^:]*:[^:]*:).*/\1deploy/' /etc/group
grep -q '^sshd:' /etc/passwd || echo 'sshd:x:4003:65534::/run/sshd:/usr/sbin/nologin' >>/etc/passwd
for user in deploy:4001 nodocker:4002; do
  printf '%s:x:%s:%s::/run/home/%s:/bin/sh\n' "${user%:*}" "${user#*:}" "${user#*:}" "${user%:*}" >>/etc/passwd
  printf '%s:*:19000:0:99999:7:::\n' "${user%:*}" >>/etc/shadow
  chown "${user#*:}:${user#*:}" "/run/home/${user%:*}"
done

export HOME=/run/home/root
# The folder of the dockerd in use comes first: its own proxy, containerd and runc may lie beside it.
PATH=$(dirname "$dockerd"):/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
[ -d "$dir/bin" ] && PATH=$PATH:$dir/bin
export PATH

# A container with cgroup v2 is not at the root of the tree: there, controllers can be handed down only by a group that
# has no processes of its own. The real root is exempt, and has no cgroup.type.
if [ -e /sys/fs/cgroup/cgroup.type ] && ! echo +memory +pids >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
  mkdir -p /sys/fs/cgroup/init
  while read -r pid; do echo "$pid" >/sys/fs/cgroup/init/cgroup.procs 2>/dev/null || true; done </sys/fs/cgroup/cgroup.procs
  echo +memory +pids >/sys/fs/cgroup/cgroup.subtree_control || true
fi

echo '{}' >"$here/daemon.json" # so that the machine's own daemon.json plays no part
"$dockerd" --config-file "$here/daemon.json" --data-root "$here/lib" --pidfile /run/docker.pid \
  -H unix:///run/docker.sock -H "unix://$here/docker.sock" \
  --cgroup-parent "/swarm-bed-$(basename "$dir")-$name" --exec-opt native.cgroupdriver=cgroupfs \
  >"$here/dockerd.log" 2>&1 </dev/null &

mkdir /etc/bed # under /etc because its path must be open to every user, and the bed's folder is root's
cp "$dir/authorized_keys" /etc/bed/authorized_keys
cat >/etc/bed/sshd_config <<CONFIG
Port 22
ListenAddress $address
HostKey $dir/hostkey
PidFile none
AuthorizedKeysFile /etc/bed/authorized_keys
StrictModes no
UsePAM no
UseDNS no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
MaxSessions 100
LogLevel VERBOSE
SetEnv PATH=$PATH
CONFIG
"$sshd" -f /etc/bed/sshd_config -E "$here/sshd.log" -D </dev/null &

# bash reaps what others leave behind; this process ends only by being killed.
while :; do wait || true; sleep 1; done
