import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { poll, psql, TOKEN } from './fleet.ts'
import type { Product } from './product.ts'
import { print, remark } from './report.ts'

const SIZE = 300 * 1024 * 1024
const AT_ONCE = 8

/** Measures polls while eight devices download 300 MB each. */
export async function downloads(product: Product) {
  store(product)
  const links: string[] = []
  for (let n = 1; n <= AT_ONCE; n++) links.push(await linkOf(product, `L${n}`))
  const started = performance.now()
  let done = false
  const fetching = Promise.all(links.map(download)).then((sizes) => {
    done = true
    return sizes
  })
  const times: number[] = []
  const beside = Array.from({ length: 4 }, async () => {
    while (!done) {
      const at = performance.now()
      const reply = await poll(product.url, `D${1 + Math.floor(Math.random() * 10_000)}`)
      await reply.arrayBuffer()
      times.push(performance.now() - at)
      await new Promise((go) => setTimeout(go, 2))
    }
  })
  const sizes = await fetching
  const seconds = (performance.now() - started) / 1000
  await Promise.all(beside)
  if (sizes.some((size) => size !== SIZE)) throw new Error(`incomplete downloads: ${sizes.join(' ')}`)
  times.sort((a, b) => a - b)
  remark(
    `${AT_ONCE} × 300 MB in ${seconds.toFixed(1)} s, ${((AT_ONCE * SIZE) / 2 ** 20 / seconds).toFixed(0)} MiB/s, ${times.length} polls beside`,
  )
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN
  print({ name: `poll p99 beside ${AT_ONCE} downloads`, value: p99, unit: 'ms', bar: 100, better: 'less' })
}

/** Creates a version whose file is written directly to the storage directory. */
function store(product: Product) {
  const bytes = randomBytes(SIZE)
  const of = (kind: string) => createHash(kind).update(bytes).digest('hex')
  const sha256 = of('sha256')
  const folder = join(product.dataDir, 'files', sha256.slice(0, 2), sha256.slice(2, 4))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, sha256), bytes)
  chmodSync(join(folder, sha256), 0o644)
  psql(product, `insert into device_models (id, type_id, model_name, model_code) values (901, 1, 'load', 'LOAD')`)
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, ver_code, token_hash, attributes_wanted)
     select 1, 901, 'L' || g, 1, token_hash, 0 from generate_series(1, ${AT_ONCE}) g, devices where id = 1`,
  )
  psql(
    product,
    `insert into ota_versions (ota_id, tenant_id, model_id, ver_code, ver_name, release_date, status, components)
     values (900001, 1, 901, 2, 'l', now() - interval '1 day', 1, 1)`,
  )
  psql(
    product,
    `insert into ota_components (ota_id, name, type, file_id, file_name, url, size, md5, sha1, sha256)
     values (900001, 'f', 2, 'x', 'f.swu', '/x', ${SIZE}, '${of('md5')}', '${of('sha1')}', '${sha256}')`,
  )
  psql(product, 'insert into ota_policies (ota_id, tenant_id, mode) values (900001, 1, 2)')
}

async function linkOf({ url }: Product, sn: string): Promise<string> {
  for (;;) {
    const reply = await poll(url, sn)
    const body = (await reply.json()) as { _links?: { deploymentBase?: { href: string } } }
    const href = body._links?.deploymentBase?.href
    if (!href) {
      await new Promise((done) => setTimeout(done, 50))
      continue
    }
    const order = await fetch(href, { headers: { authorization: `TargetToken ${TOKEN}` } })
    const text = await order.text()
    const link = /"download":\{"href":"([^"]+)"/.exec(text)?.[1]
    if (link) return link
    throw new Error(text)
  }
}

/** Downloads in a separate process, so that this process only measures; returns the number of bytes. */
function download(link: string) {
  const args = ['-s', '-o', '/dev/null', '-w', '%{size_download}', '-H', `Authorization: TargetToken ${TOKEN}`, link]
  const child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return new Promise<number>((done) => child.once('close', () => done(Number(text))))
}
