import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Config } from '#core/storage/s3/s3-bucket.ts'

const run = promisify(execFile)
const OWNER = { accessKey: 'omstestowner', secretKey: 'omstestownersecret' }
/** Keys of an account that has only the rights of docs/guides/object-storage.md. */
const KEYS = { accessKey: 'omstestaccess', secretKey: 'omstestsecret' }
const DOCUMENT = join(import.meta.dirname, '../../../../docs/guides/object-storage.md')
const BINARIES = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']

export interface RealS3 {
  readonly config: S3Config
  stop(): Promise<void>
}

/** Returns true when Ceph is installed, a real S3 server in Debian: packages `radosgw ceph-mon ceph-osd`. */
export const cephInstalled = () => BINARIES.every((name) => existsSync(`/usr/bin/${name}`))

/** Returns the S3 server of `OMS_TEST_S3_*`, if any. Its bucket must exist. */
export function configuredS3(env = process.env): S3Config | undefined {
  const { OMS_TEST_S3_ENDPOINT: endpoint, OMS_TEST_S3_BUCKET: bucket } = env
  if (!endpoint || !bucket) return undefined
  return {
    endpoint,
    bucket,
    region: env.OMS_TEST_S3_REGION ?? 'us-east-1',
    accessKey: env.OMS_TEST_S3_ACCESS_KEY ?? '',
    secretKey: env.OMS_TEST_S3_SECRET_KEY ?? '',
    prefix: `oms-test-${randomUUID()}`,
    pathStyle: env.OMS_TEST_S3_PATH_STYLE !== 'off',
  }
}

/** Starts a monitor, an in-memory disk and the gateway on loopback as this user. Takes about 15 s. */
export async function startCeph(): Promise<RealS3> {
  const folder = await mkdtemp(join(tmpdir(), 'oms-s3-'))
  const [monitorPort, gatewayPort] = [await freePort(), await freePort()]
  const children: ReturnType<typeof spawn>[] = []
  const start = (name: string, ...args: string[]) =>
    children.push(spawn(name, ['-c', 'ceph.conf', ...args, '-f'], { cwd: folder, stdio: 'ignore' }))
  const stop = async () => {
    await Promise.all(children.toReversed().map(end))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await prepare(folder, monitorPort, gatewayPort)
    start('ceph-mon', '-i', 'a')
    await startDisk(folder, () => start('ceph-osd', '-i', '0'))
    start('radosgw', '-n', 'client.rgw')
    const endpoint = `http://127.0.0.1:${gatewayPort}`
    await answering(endpoint)
    for (const [name, { accessKey, secretKey }] of Object.entries({ owner: OWNER, program: KEYS })) {
      const account = [
        `--uid=${name}`,
        `--display-name=${name}`,
        `--access-key=${accessKey}`,
        `--secret-key=${secretKey}`,
      ]
      await run('radosgw-admin', ['-c', 'ceph.conf', 'user', 'create', ...account], { cwd: folder, timeout: 60_000 })
    }
    await makeBucket(endpoint)
    return { config: { endpoint, region: 'us-east-1', bucket: 'oms', ...KEYS, pathStyle: true }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function prepare(folder: string, monitorPort: number, gatewayPort: number) {
  const fsid = randomUUID()
  await mkdir(join(folder, 'mon'))
  await mkdir(join(folder, 'osd'))
  await writeFile(join(folder, 'ceph.conf'), settings(folder, fsid, monitorPort, gatewayPort))
  const key = (name: string, ...caps: string[]) =>
    run('ceph-authtool', ['keyring', '--gen-key', '-n', name, ...caps.flatMap((cap) => ['--cap', ...cap.split('=')])], {
      cwd: folder,
    })
  await run('ceph-authtool', ['-C', 'keyring', '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *'], { cwd: folder })
  await key('client.admin', 'mon=allow *', 'osd=allow *')
  await key('osd.0', 'mon=allow profile osd', 'osd=allow *')
  await key('client.rgw', 'mon=allow rwx', 'osd=allow rwx')
  const address = `[v2:127.0.0.1:${monitorPort}]`
  await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, 'monmap'], { cwd: folder })
  const make = ['-c', 'ceph.conf', '-i', 'a', '--mkfs', '--monmap', 'monmap', '--keyring', 'keyring']
  await run('ceph-mon', make, { cwd: folder })
}

async function startDisk(folder: string, start: () => void) {
  const uuid = randomUUID()
  await run('ceph', ['-c', 'ceph.conf', 'osd', 'new', uuid, '0'], { cwd: folder, timeout: 60_000 })
  await run('ceph-osd', ['-c', 'ceph.conf', '-i', '0', '--mkfs', '--osd-uuid', uuid], { cwd: folder })
  start()
}

/**
 * Returns the Ceph configuration: one copy in memory. Authentication stays enabled, because the gateway hangs without
 * it.
 */
const settings = (folder: string, fsid: string, monitorPort: number, gatewayPort: number) => `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${monitorPort}/0]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd crush chooseleaf type = 0
osd pool default pg autoscale mode = off
osd pool default pg num = 1
osd pool default pgp num = 1
mon max pg per osd = 1000
mon data avail crit = 1
run dir = ${folder}
log file = ${folder}/$name.log
admin socket = ${folder}/$name.asok
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 2147483648
keyring = ${folder}/keyring
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
`

/** Creates the bucket with the documented policy for the program's account. */
async function makeBucket(endpoint: string) {
  const { accessKey: accessKeyId, secretKey: secretAccessKey } = OWNER
  const credentials = { accessKeyId, secretAccessKey }
  const s3 = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  const documented = /```json\n([^`]*)```/.exec(await readFile(DOCUMENT, 'utf8'))?.[1] ?? ''
  const policy = JSON.parse(documented) as { Statement: object[] }
  const Statement = policy.Statement.map((one) => ({ ...one, Principal: { AWS: ['arn:aws:iam:::user/program'] } }))
  await s3.send(new CreateBucketCommand({ Bucket: 'oms' }))
  await s3.send(new PutBucketPolicyCommand({ Bucket: 'oms', Policy: JSON.stringify({ ...policy, Statement }) }))
  s3.destroy()
}

async function answering(url: string) {
  for (let tries = 0; tries < 240; tries++) {
    if (await fetch(url).catch(() => null)) return
    await sleep(250)
  }
  throw new Error('The gateway did not start')
}

async function end(child: ReturnType<typeof spawn>) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await gone
  clearTimeout(timer)
}

async function freePort() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
