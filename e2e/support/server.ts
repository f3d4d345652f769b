// Starts the built product with an empty data directory for the journeys, and removes the directory afterwards.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATA_DIR_NOTE } from './database.ts'
import { ADMIN_PASSWORD } from './people.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'oms-e2e-'))
// PostgreSQL runs as another user when the process is root, and needs a socket directory that this user may enter.
chmodSync(dataDir, 0o755)
mkdirSync('.cache', { recursive: true })
writeFileSync(DATA_DIR_NOTE, dataDir)
const { DATABASE_URL: _, ...inherited } = process.env
const child = spawn(process.execPath, ['dist/server.mjs'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...inherited,
    DATA_DIR: dataDir,
    PORT: process.env.E2E_PORT,
    OMS_ADMIN_PASSWORD: ADMIN_PASSWORD,
    OMS_LOG_LEVEL: 'error',
    // Raises the request limits: all journeys share one address and are faster than users.
    OMS_RATE_LOGIN: '100000',
    OMS_RATE_API: '100000',
    OMS_RATE_UPLOAD: '10000',
    OMS_RATE_EXPORT: '10000',
    OMS_SESSIONS_PER_ACCOUNT: '100',
  },
})
child.once('exit', (code) => {
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(code ?? 0)
})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
