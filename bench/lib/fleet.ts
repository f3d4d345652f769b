import { execFileSync } from 'node:child_process'
import type { Product } from './product.ts'

export const TOKEN = 'bench-token-of-every-device-0123'

export const psql = (product: Product, sql: string) => psqlAs('oms', product, sql)

/**
 * Writes what a long filling left in the database's memory. Otherwise the searches that follow write it: each page they
 * read has to push such a one out.
 */
export const writeOut = (product: Product) => psqlAs('postgres', product, 'checkpoint')

function psqlAs(role: 'oms' | 'postgres', { socket }: Product, sql: string): string {
  const env = { ...process.env, PGOPTIONS: '-c statement_timeout=0' }
  return execFileSync('psql', ['-qAth', socket, '-U', role, '-d', 'oms', '-v', 'ON_ERROR_STOP=1', '-c', sql], {
    encoding: 'utf8',
    env,
  }).trim()
}

export const poll = (url: string, sn: string) =>
  fetch(`${url}/default/controller/v1/${sn}`, { headers: { authorization: `TargetToken ${TOKEN}` } })
