import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { open, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompressSync, zstdDecompress } from 'node:zlib'
import { type SystemAccount, findSystemUserForInitdb, EmbeddedDatabaseError } from './processes.ts'
import { spawnSync } from 'node:child_process'
import { arch, platform, tmpdir } from 'node:os'
import pg from 'pg'
import { type Binaries, prepareBinaries } from './binaries.ts'
import { ensureRunning, type ClusterSite, stopPostmaster } from './postmaster.ts'

type Entry = { readonly path: string; readonly size: number; readonly folder: boolean }

const decompress = promisify(zstdDecompress)

/** Packs a folder into one compressed buffer: the list of entries, a zero byte, the contents. */
function packFolder(root: string, isNeeded: (name: string) => boolean = () => true): Buffer {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter(({ name }) => isNeeded(name))
  const entries: Entry[] = []
  const bodies: Buffer[] = []
  for (const item of found) {
    const full = join(item.parentPath, item.name)
    const body = item.isDirectory() ? Buffer.alloc(0) : readFileSync(full)
    entries.push({ path: full.slice(root.length + 1), size: body.length, folder: item.isDirectory() })
    bodies.push(body)
  }
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\0`), ...bodies])
  return zstdCompressSync(whole, { params: { [constants.ZSTD_c_compressionLevel]: 12 } })
}

/**
 * Unpacks a folder without fsync. `syncFolder` runs fsync later, so that the start does not wait. After a failure, the
 * unpacked files are removed.
 */
export async function unpackFolder(
  compressed: Buffer,
  root: string,
  account: SystemAccount | undefined,
): Promise<void> {
  const whole = await decompress(compressed)
  const split = whole.indexOf(0)
  const entries = JSON.parse(whole.toString('utf8', 0, split)) as Entry[]
  try {
    await writeEntries(whole.subarray(split + 1), entries, root, account)
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
}

async function writeEntries(
  bodies: Buffer,
  entries: readonly Entry[],
  root: string,
  account: SystemAccount | undefined,
) {
  const own = (path: string) => account && chownSync(path, account.uid, account.gid)
  mkdirSync(root, { mode: 0o700 })
  for (const { path } of entries.filter(({ folder }) => folder))
    mkdirSync(join(root, path), { recursive: true, mode: 0o700 })
  let at = 0
  const writes = entries
    .filter(({ folder }) => !folder)
    .map(async ({ path, size }) => {
      const body = bodies.subarray(at, (at += size))
      await writeFile(join(root, path), body, { mode: 0o600 })
      own(join(root, path))
    })
  // No file may be written after a failure, because the caller removes the folder.
  await Promise.allSettled(writes)
  await Promise.all(writes)
  for (const { path } of entries.filter(({ folder }) => folder)) own(join(root, path))
  own(root)
}

/**
 * Runs fsync on all files below a folder so that they survive a power failure. A killed process loses nothing without
 * fsync.
 */
export async function syncFolder(root: string): Promise<void> {
  const names = await readdir(root, { recursive: true }).catch(() => [])
  for (const name of ['', ...names]) {
    // The running database creates and deletes files. A deleted file needs no fsync.
    const handle = await open(join(root, name), 'r').catch(() => undefined)
    await handle?.sync().catch(() => {})
    await handle?.close()
  }
}

/**
 * Returns candidate paths of a file that the build stores in `.cache` of a folder above this module (source or bundle).
 */
function listCachePaths(name: string, from = import.meta.dirname): string[] {
  const parent = dirname(from)
  return [join(from, '.cache', name), ...(parent === from ? [] : listCachePaths(name, parent))]
}

/** Login role of the program. The role owns the database and is no superuser, so that row-level security applies. */
export const APP_ROLE = 'oms'
export const APP_DATABASE = 'oms'

/** Increase this number whenever `initialise` or `createRolesAndDatabase` changes. */
const REVISION = 3

/** Content of a new cluster: the program's tables and their initial rows. */
export interface DatabaseTemplate {
  /** Version of the content that `fill` writes; part of the stored template's name. */
  readonly key: string
  /** Fills the empty database, connected as the program's role. */
  fill(connection: pg.ClientConfig): Promise<void>
}

/** Free-space and visibility maps. PostgreSQL recreates these files, a third of all files. */
const MAPS = /^\d+_(?:fsm|vm)$/

const PREFIX = `postgres-template-${REVISION}`
const nameOf = ({ version }: Binaries, key?: string) =>
  `${PREFIX}-${version}-${platform()}-${arch()}${key ? `-${key}` : ''}.zst`

/** Creates a complete new cluster at `cluster`, and removes it after a failure. */
export async function createCluster(
  binaries: Binaries,
  cluster: string,
  account: SystemAccount | undefined,
  templateKey?: string,
): Promise<void> {
  // Without a filled template, the first start fills the cluster itself, like every upgrade.
  const kept = [nameOf(binaries, templateKey), nameOf(binaries)]
    .flatMap((name) => listCachePaths(name))
    .find((path) => existsSync(path))
  const compressed = kept ? readFileSync(kept) : await makeTemplate(binaries)
  const fresh = `${cluster}.${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  await unpackFolder(compressed, fresh, account)
  try {
    renameSync(fresh, cluster)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(cluster)) throw error
  }
}

/** Stores the template in the folder for the build, unless it exists. Deletes templates of other releases. */
export async function storeTemplate(
  binaries: Binaries,
  folder: string,
  databaseTemplate?: DatabaseTemplate,
): Promise<string> {
  const name = nameOf(binaries, databaseTemplate?.key)
  const path = join(folder, name)
  if (existsSync(path)) return path
  const compressed = await makeTemplate(binaries, databaseTemplate)
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}`
  try {
    writeFileSync(temporary, compressed)
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
  if (databaseTemplate)
    for (const other of readdirSync(folder))
      if (other.startsWith('postgres-template-') && other !== name && other !== nameOf(binaries))
        rmSync(join(folder, other))
  return path
}

async function makeTemplate(found: Binaries, databaseTemplate?: DatabaseTemplate): Promise<Buffer> {
  const account = findSystemUserForInitdb()
  const binaries = prepareBinaries(found, account)
  const scratch = mkdtempSync(join(tmpdir(), 'oms-init-'))
  try {
    if (account) chownSync(scratch, account.uid, account.gid)
    const cluster = join(scratch, 'postgres')
    initialise(binaries, cluster, account)
    const site: ClusterSite = {
      binaries,
      cluster,
      sockets: scratch,
      logFile: join(scratch, 'log'),
      account,
      isDurable: false,
    }
    await ensureRunning(site)
    try {
      await createRolesAndDatabase(scratch)
      await databaseTemplate?.fill({ host: scratch, port: 5432, user: APP_ROLE, database: APP_DATABASE })
    } finally {
      await stopPostmaster(site)
    }
    return packFolder(cluster, (file) => !MAPS.test(file))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** C.UTF-8 sorts identically everywhere and classifies Chinese characters as letters, which trigrams need. */
function initialise({ bin, major }: Binaries, cluster: string, account: SystemAccount | undefined) {
  const locales = [
    ...(major >= 17 ? [['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C.UTF-8']] : []),
    ['--locale=C.UTF-8'],
    ['--locale=C'],
  ]
  // Smaller WAL segments: a new cluster starts with one segment, which the first start has to write.
  const small = ['--no-sync', '--no-instructions', '--wal-segsize=4']
  const options = ['-D', cluster, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', ...small]
  let output = ''
  for (const locale of locales) {
    rmSync(cluster, { recursive: true, force: true })
    const { status, stderr, error } = spawnSync(join(bin, 'initdb'), [...options, ...locale], {
      cwd: dirname(cluster),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      ...account,
    })
    if (status === 0) return chmodSync(cluster, 0o700)
    output = error?.message ?? stderr
  }
  const reason = output.trim().split('\n').at(-1)
  throw new EmbeddedDatabaseError(
    `不能建立内置数据库（initdb：${reason}）；请先用普通账号运行一次 npm run build，或设置 DATABASE_URL`,
  )
}

async function createRolesAndDatabase(sockets: string) {
  const connection = { host: sockets, port: 5432, user: 'postgres' }
  const admin = new pg.Client({ ...connection, database: 'postgres' })
  await admin.connect()
  await admin.query(`create role ${APP_ROLE} login createdb`)
  // Row-level security policies apply to this role. The program, which cannot create roles, switches to it.
  await admin.query(`create role oms_tenant nologin`)
  await admin.query(`grant oms_tenant to ${APP_ROLE}`)
  await admin.query(`create database ${APP_DATABASE} owner ${APP_ROLE}`)
  await admin.end()
  const inside = new pg.Client({ ...connection, database: APP_DATABASE })
  await inside.connect()
  await inside.query('create extension pg_trgm')
  // Nobody uses these databases, and the first start would write 300 files for each. New databases are created from
  // template1.
  await inside.query('drop database postgres with (force)')
  await inside.query(`update pg_database set datistemplate = false where datname = 'template0'`)
  await inside.query('drop database template0')
  await inside.end()
}
