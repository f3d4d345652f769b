import { existsSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { testFiles } from '../../scripts/test-files.ts'
import { antdStyles } from './build/antd/antd-styles.ts'
import { dialogFocus } from './build/antd/dialog-focus.ts'
import { fieldKeys } from './build/antd/field-keys.ts'
import { motionStatus } from './build/antd/motion-status.ts'
import { styleSheets } from './build/antd/style-sheets.ts'

/** Browser that `npm test` found. Without `npm test`: an installed Chromium or Chrome, if any. */
const CHROMIUM = process.env['E2E_CHROMIUM'] ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)

/** Hooks and forms in a real browser: `*.browser.test.tsx`. The tests control every response of the server. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), antdStyles(), styleSheets()],
  define: { __VERSION__: '"test"' },
  cacheDir: join(import.meta.dirname, '../../.cache/vite-browser'),
  optimizeDeps: {
    rolldownOptions: { plugins: [dialogFocus(), fieldKeys(), motionStatus()] },
    // The list must be complete. A package that Vite finds during a run is optimised again, and the page then has two
    // copies of React.
    include: [
      'antd',
      'antd/es/input/Input',
      'antd/locale/zh_CN',
      '@ant-design/icons',
      'dayjs',
      'dayjs/locale/zh-cn.js',
      'react',
      'react-dom',
      'react/jsx-dev-runtime',
      'zod',
      ...['react', 'starter-kit', 'extension-image', 'extension-text-align'].map((part) => `@tiptap/${part}`),
      '@tanstack/react-query',
      'react-router',
      'react-dom/client',
      'qrcode',
      'hls.js/light',
      ...['core', 'charts', 'components', 'renderers'].map((part) => `echarts/${part}`),
    ],
  },
  test: {
    include: ['src', 'test'].map((folder) => `${folder}/**/${testFiles('browser.test.tsx')}`),
    testTimeout: 90_000,
    // The default of one second is too short for a browser beside other work on two cores.
    expect: { poll: { timeout: 15_000 } },
    // Local runs do not retry a failed test. CI retries twice and marks the test with `(retry x1)`, as for journeys.
    retry: process.env['CI'] ? 2 : 0,
    // Two pages share the two cores that CI has.
    maxWorkers: 2,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          ...(CHROMIUM && { executablePath: CHROMIUM }),
          args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
        },
        contextOptions: { locale: 'zh-CN', timezoneId: 'Asia/Shanghai', viewport: { width: 1440, height: 900 } },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
