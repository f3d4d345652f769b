import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

// Two runs on one machine must not meet; workers inherit what the first reading of this file decided.
process.env.E2E_PORT ??= String(20_000 + (process.pid % 10_000))
const PORT = Number(process.env.E2E_PORT)
/** The browser `npm test` found; started by hand, Debian's when it is there, else the one Playwright keeps. */
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
  outputDir: '.cache/e2e',
  workers: 2,
  timeout: 180_000,
  expect: { timeout: 15_000 },
  // A journey that passes only the second time is a bug to be found: at a desk it fails at once. In CI one stutter of a
  // loaded machine must not hide what all the others say; the report names every journey that needed its second chance.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1440, height: 900 },
    // Recording takes a snapshot of the page at every step, so CI records only the second try.
    trace: process.env.CI ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: {
      ...(SYSTEM_CHROMIUM && { executablePath: SYSTEM_CHROMIUM }),
      // In the C locale Chromium calls a download with a Chinese name `download`.
      env: { ...(process.env as Record<string, string>), LC_ALL: 'C.UTF-8' },
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...QUIET],
    },
  },
  webServer: {
    command: `"${process.execPath}" e2e/server.ts`,
    url: `http://127.0.0.1:${PORT}/readyz`,
    env: { E2E_PORT: String(PORT) },
    timeout: 60_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
    reuseExistingServer: false,
    stdout: 'ignore',
    stderr: 'pipe',
  },
})
