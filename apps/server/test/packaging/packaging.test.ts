import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

const ROOT = join(import.meta.dirname, '../../../..')
const DEPLOY = join(ROOT, 'deploy')
const run = promisify(execFile)
const read = (...path: string[]) => readFileSync(join(DEPLOY, ...path), 'utf8')

/** Instructions of the Dockerfile: continued lines joined, comments left out. */
const instructions = read('docker/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [name = '', ...words] = line.trim().split(/ +/)
    return { name, words }
  })
const named = (name: string) => instructions.filter((one) => one.name === name).map(({ words }) => words)

describe('the Dockerfile', () => {
  test('the Dockerfile copies only files of the repository, of an earlier stage or of the build', () => {
    const stages = named('FROM').flatMap(([, , stage]) => stage ?? [])
    for (const words of named('COPY')) {
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
      const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1)
      expect(sources.length, words.join(' ')).toBeGreaterThan(0)
      if (from) expect(stages).toContain(from)
      for (const source of sources)
        if (!from) expect(existsSync(join(ROOT, source)), source).toBe(true)
        else expect(['/oms/package.json', '/oms/node_modules', '/oms/dist']).toContain(source)
    }
  })

  test('the Dockerfile copies the manifest of every workspace before it installs', () => {
    const copied = named('COPY').flat()
    for (const folder of ['apps/server', 'apps/console', 'packages/contract'])
      expect(copied).toContain(`${folder}/package.json`)
    const workspaces = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages as object
    const linked = Object.keys(workspaces).filter((path) => /^(apps|packages)\/[^/]+$/.test(path))
    expect(linked.sort()).toEqual(['apps/console', 'apps/server', 'packages/contract'])
  })

  test('the container runs as an ordinary account, has a health check and uses npm scripts that exist', () => {
    expect(named('USER')).toEqual([['10001:10001']])
    expect(named('HEALTHCHECK').flat().join(' ')).toContain('/healthz')
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
    const used = [...read('docker/Dockerfile').matchAll(/npm run ([\w-]+)/g)].map(([, script]) => script)
    expect(used).toEqual(['build'])
    for (const script of used) expect(scripts).toHaveProperty(script as string)
    expect(named('CMD').at(-1)?.join(' ')).toBe('["node", "dist/server.mjs"]')
  })
})

interface Service {
  image?: string
  read_only?: boolean
  cap_drop?: string[]
  build?: { context: string; dockerfile: string }
  environment: Record<string, string>
  volumes?: string[]
  depends_on?: Record<string, unknown>
}

describe('the compose file', () => {
  const { services, volumes } = parse(read('docker/compose.yaml')) as {
    services: Record<string, Service>
    volumes: object
  }

  test('the compose file refers to existing files, volumes and services, and to images by version', () => {
    const { context = '', dockerfile = '' } = services.oms?.build ?? {}
    expect(existsSync(join(DEPLOY, 'docker', context, dockerfile))).toBe(true)
    for (const [name, service] of Object.entries(services)) {
      // The builder of the store publishes only its newest build.
      if (name !== 'oms') expect(service.image).toMatch(/:[\w.-]*\d|^cgr\.dev\/chainguard\/[\w-]+:latest/)
      for (const other of Object.keys(service.depends_on ?? {})) expect(services).toHaveProperty(other)
      for (const volume of service.volumes ?? []) {
        const source = volume.split(':')[0] as string
        if (source.startsWith('.')) expect(existsSync(join(DEPLOY, 'docker', source)), source).toBe(true)
        else expect(volumes).toHaveProperty(source)
      }
    }
    expect(services.oms).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  })

  test('the user of OMS in the S3 store has exactly the rights of the guide', () => {
    const guide = readFileSync(join(ROOT, 'docs/guides/object-storage.md'), 'utf8')
    const rights = JSON.parse(/```json\n(.*?)```/s.exec(guide)![1]!)
    expect(JSON.parse(read('docker/s3-policy.json'))).toEqual(rights)
    expect(services.store?.environment).not.toMatchObject({ MINIO_ROOT_USER: expect.stringContaining('OMS_S3') })
  })

  test('the Kubernetes file sets only known environment variables, and its containers run without privileges', () => {
    const config = readFileSync(join(ROOT, 'docs/reference/operating.md'), 'utf8')
    const documents = parseAllDocuments(read('kubernetes/oms.yaml')).map((each) => each.toJS())
    const pods = documents.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec)
    expect(pods).toHaveLength(2)
    for (const { securityContext, containers } of pods) {
      expect(securityContext.runAsNonRoot).toBe(true)
      expect(containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true })
      for (const { name } of containers[0].env) expect(config).toContain(`\`${name}\``)
    }
  })

  test('the Kubernetes backup removes old backups like the systemd unit, and both files can serve metrics', () => {
    const remove = /backups (-mindepth .* \+)$/m
    const [, ofUnit] = remove.exec(read('systemd/oms-backup.service'))!
    expect(remove.exec(read('kubernetes/oms.yaml'))?.[1]).toBe(ofUnit)
    expect(services.oms?.environment).toHaveProperty('OMS_METRICS')
  })

  test('the compose file takes every secret from example.env and sets only known environment variables', () => {
    const asked = new Set([...read('docker/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name))
    const given = [...read('docker/example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    expect(given.sort()).toEqual([...asked].sort())
    const config = readFileSync(join(ROOT, 'docs/reference/operating.md'), 'utf8')
    for (const name of Object.keys(services.oms?.environment ?? {}))
      expect(config).toContain(name.replace(/^OMS_S3(?=_)/, '').replace(/^OMS_(?=ADMIN)/, 'OMS_'))
  })
})

const UNITS = ['oms.service', 'oms-backup.service', 'oms-backup.timer', 'oms-backup-failure.service']
const ANALYZE = '/usr/bin/systemd-analyze'

describe('the systemd units', () => {
  test('the systemd units start existing scripts', () => {
    for (const unit of UNITS)
      for (const [, path] of read('systemd', unit).matchAll(/\/opt\/oms\/([\w./-]+)/g))
        expect(existsSync(join(ROOT, path as string)), path).toBe(true)
  })

  test('the template unit that docs/guides/upgrade.md creates from oms.service can run two processes', async ({
    skip,
  }) => {
    const guide = readFileSync(join(ROOT, 'docs/guides/upgrade.md'), 'utf8')
    const script = /sed '([^']*)' \/etc\/systemd\/system\/oms\.service/.exec(guide)?.[1] ?? ''
    const { stdout: template } = await run('sed', [script, join(DEPLOY, 'systemd/oms.service')])
    expect(template).toContain('Environment=NODE_ENV=production DATA_DIR=/var/lib/oms PORT=%i\n')
    if (!existsSync(ANALYZE)) return skip('systemd-analyze is not installed')
    const file = join(mkdtempSync(join(inject('scratch'), 'template-')), 'oms@.service')
    writeFileSync(file, template.replaceAll('/usr/bin/node', process.execPath))
    const { stderr } = await run(ANALYZE, ['verify', '--man=no', file])
    expect(stderr.split('\n').filter((line) => line.includes('oms@'))).toEqual([])
  })

  test('the systemd units are hardened and pass systemd-analyze where systemd is installed', async ({ skip }) => {
    if (!existsSync(ANALYZE)) return skip('systemd-analyze is not installed')
    const folder = mkdtempSync(join(inject('scratch'), 'units-'))
    for (const unit of UNITS)
      writeFileSync(join(folder, unit), read('systemd', unit).replaceAll('/usr/bin/node', process.execPath))
    const files = UNITS.map((unit) => join(folder, unit))
    const { stderr } = await run(ANALYZE, ['verify', '--man=no', ...files])
    expect(stderr.split('\n').filter((line) => line.includes(folder))).toEqual([])
    for (const file of files.slice(0, 2)) {
      // Exposure of 0 (none) to 100; a unit without hardening has 96.
      const { stdout } = await run(ANALYZE, ['security', '--offline=true', '--threshold=30', '--no-pager', file])
      expect(stdout).toContain('Overall exposure level')
    }
  })
})
