import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { at, run, say } from './runtime.mjs'

const MAC = '/Applications'
/** Usual paths of an installed Chromium. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  join(MAC, 'Google Chrome.app/Contents/MacOS/Google Chrome'),
  join(MAC, 'Chromium.app/Contents/MacOS/Chromium'),
]

/**
 * Returns the browser settings of the journeys: the installed Chromium, or Playwright's own, downloaded into the home
 * directory at the first run. Neither requires root.
 */
export async function browserEnv(installed = INSTALLED) {
  const found = process.env.E2E_CHROMIUM || installed.find((path) => existsSync(path))
  if (found) return { E2E_CHROMIUM: found }
  say('本机没有 Chromium，使用 Playwright 自带的（首次运行需要下载）')
  const code = await run([at('node_modules/@playwright/test/cli.js'), 'install', '--only-shell', 'chromium'])
  if (code === 0) return {}
  throw new Error('没有可用的 Chromium：请安装 Chrome，或 apt-get install chromium fonts-noto-cjk，再运行一次')
}
