import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'

const OWN = /^(apps|packages|bench|e2e)(\/|$)/

/**
 * Collects the build data of the about page: version, commit, and every third-party package with its licence. The
 * lock file lists the packages; their `package.json` contains the home page.
 */
export function buildFacts(root) {
  const own = readJson(join(root, 'package.json'))
  const { packages } = readJson(join(root, 'package-lock.json'))
  const dependencies = Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link && !OWN.test(nameOf(path)))
    .map(([path, locked]) => describe(root, path, locked))
  const unique = new Map(dependencies.map((each) => [`${each.name}@${each.version}`, each]))
  return {
    version: own.version ?? '',
    build: commitOf(root),
    licence: own.license ?? '',
    dependencies: [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  }
}

/** Writes `buildFacts` to a file beside the server's bundle. */
export function writeLicences(root, file) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(buildFacts(root)))
}

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

function describe(root, path, locked) {
  // The lock file also lists packages for other platforms, which are not installed.
  const installed = readJson(join(root, path, 'package.json')) ?? {}
  return {
    name: nameOf(path),
    version: locked.version ?? installed.version ?? '',
    licence: licenceOf(locked) || licenceOf(installed) || 'UNKNOWN',
    homepage: homeOf(installed) || `https://www.npmjs.com/package/${nameOf(path)}`,
    scope: locked.dev ? 'development' : 'runtime',
  }
}

function licenceOf({ license, licenses }) {
  if (typeof license === 'string') return license
  if (license?.type) return license.type
  return Array.isArray(licenses) ? licenses.map(({ type }) => type).join(' OR ') : ''
}

/** Accepts only http(s) URLs, because the console renders them as links. */
const homeOf = ({ homepage }) => (typeof homepage === 'string' && /^https?:\/\//.test(homepage) ? homepage : '')

function commitOf(root) {
  const given = process.env.OMS_BUILD
  if (given) return given
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    return execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], options).trim()
  } catch {
    return ''
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
