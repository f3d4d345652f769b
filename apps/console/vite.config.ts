import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { antdStyles } from './build/antd/antd-styles.ts'
import { dialogFocus } from './build/antd/dialog-focus.ts'
import { fieldKeys } from './build/antd/field-keys.ts'
import { motionStatus } from './build/antd/motion-status.ts'
import { staticTheme } from './build/antd/static-theme.ts'
import { GROUPS, groupsMatched } from './build/chunks.ts'
import { chunkLimits } from './build/chunk-limits.ts'
import { compressed } from './build/compressed.ts'
import { displayPage } from './build/display-page.ts'
import { helpPages } from './build/help-pages.ts'
import { loginPage } from './build/login-page.ts'
import { playerPage } from './build/player-page.ts'
import { preloadMain } from './build/preload-main.ts'

const server = process.env['OMS_API'] ?? 'http://127.0.0.1:8080'
const api = { '/api': server, '/device/v1': server, '/xiaozhi': server }
const version = process.env['OMS_BUILD'] ?? new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    dialogFocus(),
    motionStatus(),
    fieldKeys(),
    antdStyles(),
    staticTheme(),
    preloadMain(),
    loginPage(),
    displayPage(),
    helpPages(),
    playerPage(),
    groupsMatched(),
    chunkLimits(join(import.meta.dirname, 'src')),
    compressed(version),
  ],
  define: { __VERSION__: JSON.stringify(version) },
  optimizeDeps: { rolldownOptions: { plugins: [dialogFocus(), fieldKeys(), motionStatus()] } },
  server: { port: 5173, proxy: api },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Turns off the warning of Vite, because the plugin `chunkLimits` checks the sizes.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    rolldownOptions: {
      // Unused exports of antd's base packages are removed: their modules have no side effects.
      treeshake: { moduleSideEffects: [{ test: /[\\/]@rc-component[\\/]/, sideEffects: false }] },
      output: { codeSplitting: { groups: GROUPS } },
    },
  },
})
