import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Product } from './product.ts'

export const TOKEN = 'bench-token-of-every-device-0123'

export const psql = (product: Product, sql: string) => psqlAs('oms', product, sql)

/**
 * Brings the database to where one that has long been in use is, after a long filling: what its memory still has to write
 * is written, as otherwise each page read later has to push such a one out, and the machine has read its files, as
 * otherwise each page read later is one access of the disk.
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

/** Milliseconds each statement takes on one connection, the way there and back included. */
export function timesOf({ socket }: Product, statements: readonly string[]): number[] {
  const input = ['\\timing on', ...statements.map((each) => `${each};`)].join('\n')
  const text = execFileSync('psql', ['-qAth', socket, '-U', 'oms', '-d', 'oms'], { encoding: 'utf8', input })
  return [...text.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, time]) => Number(time))
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
