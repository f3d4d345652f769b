import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Product } from './product.ts'

export const TOKEN = 'bench-token-of-every-device-0123'

export const psql = (product: Product, sql: string) => psqlAs('oms', product, sql)

/**
 * Brings the database to a steady state after loading rows: writes dirty pages with a checkpoint, and reads the files
 * into the operating system's cache. Otherwise later reads would include evictions and disk access.
 */
export function settle(product: Product) {
  psqlAs('postgres', product, 'checkpoint')
  const folder = join(product.dataDir, 'postgres/base')
  const chunk = Buffer.alloc(2 ** 20)
  for (const each of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!each.isFile()) continue
    const file = openSync(join(each.parentPath, each.name), 'r')
    while (readSync(file, chunk) > 0);
    closeSync(file)
  }
}

function psqlAs(role: 'oms' | 'postgres', { socket }: Product, sql: string): string {
  const env = { ...process.env, PGOPTIONS: '-c statement_timeout=0' }
  return execFileSync('psql', ['-qAth', socket, '-U', role, '-d', 'oms', '-v', 'ON_ERROR_STOP=1', '-c', sql], {
    encoding: 'utf8',
    env,
  }).trim()
}

export const poll = (url: string, sn: string) =>
  fetch(`${url}/default/controller/v1/${sn}`, { headers: { authorization: `TargetToken ${TOKEN}` } })
