import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { type Account, namedAccount } from './account.ts'
import { cachePath, packFolder, unpackFolder } from './archive.ts'
import { type Binaries, prepareBinaries } from './binaries.ts'
import { ensureRunning, type Site, stopPostmaster } from './postmaster.ts'
import { EmbeddedDatabaseError } from './problem.ts'

/** The login of the program: owner of its database, not a superuser, so that row-level security holds for it. */
export const APP_ROLE = 'oms'
export const APP_DATABASE = 'oms'

/** Raised whenever `initialise` or `furnish` changes. */
const REVISION = 3

/** What a new cluster holds beyond an empty database: the program's own tables and what they ship with. */
export interface Furniture {
  /** Changes with what `fill` makes; names the kept template. */
  readonly key: string
  /** Fills the empty database as the program's own role. */
  fill(connection: pg.ClientConfig): Promise<void>
}

/** Which pages of a table have room, and which all may see: PostgreSQL makes them anew, a third of its files. */
const MAPS = /^\d+_(?:fsm|vm)$/

const PREFIX = `postgres-template-${REVISION}`
const nameOf = ({ version }: Binaries, key?: string) =>
  `${PREFIX}-${version}-${platform()}-${arch()}${key ? `-${key}` : ''}.zst`

/** Puts a whole new cluster at `cluster`, or leaves nothing there. */
export async function createCluster(
  binaries: Binaries,
  cluster: string,
  account: Account | undefined,
  furnitureKey?: string,
): Promise<void> {
  // Without a furnished one the first start furnishes the cluster itself, as every later release does.
  const kept = [nameOf(binaries, furnitureKey), nameOf(binaries)]
    .flatMap((name) => cachePath(name))
    .find((path) => existsSync(path))
  const packed = kept ? readFileSync(kept) : await makeTemplate(binaries)
  const fresh = `${cluster}.${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  await unpackFolder(packed, fresh, account)
  try {
    renameSync(fresh, cluster)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(cluster)) throw error
  }
}

/** For the build: the template in that folder, made unless it is there; those of other releases go. */
export async function keepTemplate(binaries: Binaries, folder: string, furniture?: Furniture): Promise<string> {
  const name = nameOf(binaries, furniture?.key)
  const path = join(folder, name)
  if (existsSync(path)) return path
  const packed = await makeTemplate(binaries, furniture)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, packed)
  renameSync(`${path}.${process.pid}`, path)
  if (furniture)
    for (const other of readdirSync(folder))
      if (other.startsWith('postgres-template-') && other !== name && other !== nameOf(binaries))
        rmSync(join(folder, other))
  return path
}

async function makeTemplate(found: Binaries, furniture?: Furniture): Promise<Buffer> {
  const account = namedAccount()
  const binaries = prepareBinaries(found, account)
  const scratch = mkdtempSync(join(tmpdir(), 'oms-init-'))
  try {
    if (account) chownSync(scratch, account.uid, account.gid)
    const cluster = join(scratch, 'postgres')
    initialise(binaries, cluster, account)
    const site: Site = { binaries, cluster, sockets: scratch, logFile: join(scratch, 'log'), account }
    await ensureRunning(site)
    try {
      await furnish(scratch)
      await furniture?.fill({ host: scratch, port: 5432, user: APP_ROLE, database: APP_DATABASE })
    } finally {
      await stopPostmaster(site)
    }
    return packFolder(cluster, (file) => !MAPS.test(file))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** C.UTF-8 sorts alike everywhere and still knows Chinese characters as letters, which trigrams need. */
function initialise({ bin, major }: Binaries, cluster: string, account: Account | undefined) {
  const locales = [
    ...(major >= 17 ? [['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C.UTF-8']] : []),
    ['--locale=C.UTF-8'],
    ['--locale=C'],
  ]
  // Smaller pieces of its log: a new cluster starts with one, which the first start has to write.
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

async function furnish(sockets: string) {
  const connection = { host: sockets, port: 5432, user: 'postgres' }
  const admin = new pg.Client({ ...connection, database: 'postgres' })
  await admin.connect()
  await admin.query(`create role ${APP_ROLE} login createdb`)
  // Row-level security is written for this role; the program, which may not make roles itself, steps into it.
  await admin.query(`create role oms_tenant nologin`)
  await admin.query(`grant oms_tenant to ${APP_ROLE}`)
  await admin.query(`create database ${APP_DATABASE} owner ${APP_ROLE}`)
  await admin.end()
  const inside = new pg.Client({ ...connection, database: APP_DATABASE })
  await inside.connect()
  await inside.query('create extension pg_trgm')
  // Nobody works there, and their three hundred files each would be written at every first start. What is made later is
  // made of template1.
  await inside.query('drop database postgres with (force)')
  await inside.query(`update pg_database set datistemplate = false where datname = 'template0'`)
  await inside.query('drop database template0')
  await inside.end()
}
