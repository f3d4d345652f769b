import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'
import { testFiles } from './scripts/test-files.ts'

// Each run has its own port, so that two runs on one machine do not collide. Workers inherit the variable.
process.env.E2E_PORT ??= String(20_000 + (process.pid % 10_000))
const PORT = Number(process.env.E2E_PORT)
/** Browser that `npm test` found. Without `npm test`: an installed Chromium or Chrome, otherwise Playwright's own. */
const SYSTEM_CHROMIUM = process.env.E2E_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

export default defineConfig({
  testDir: 'e2e',
  testMatch: `**/${testFiles('spec.ts')}`,
  outputDir: '.cache/e2e',
  // Deep journeys mostly wait for screens and devices that play in real time.
  workers: process.env.TEST_DEPTH === 'deep' ? 3 : 2,
  timeout: 180_000,
  expect: { timeout: 15_000 },
  // Local runs do not retry, because a journey that passes only on a retry has a bug. CI retries once, so that a short
  // delay of a loaded machine does not fail the run. The report names every retried journey.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1440, height: 900 },
    // A trace contains a snapshot of the page at every step, so CI records only retries. The film of a trace would need
    // as much processor time as the journey.
    trace: process.env.CI ? 'on-first-retry' : { mode: 'retain-on-failure', screenshots: false },
    launchOptions: {
      ...(SYSTEM_CHROMIUM && { executablePath: SYSTEM_CHROMIUM }),
      // In the C locale Chromium renames a download with a Chinese name to `download`.
      env: { ...(process.env as Record<string, string>), LC_ALL: 'C.UTF-8' },
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...QUIET],
    },
  },
  webServer: {
    command: `"${process.execPath}" e2e/support/server.ts`,
    url: `http://127.0.0.1:${PORT}/readyz`,
    env: { E2E_PORT: String(PORT) },
    timeout: 60_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
    reuseExistingServer: false,
    stdout: 'ignore',
    stderr: 'pipe',
  },
})
