import { createRoot } from 'react-dom/client'
import { HOME } from '#kernel/addresses.ts'
import { makeQueryClient, prefetchRead } from '#kernel/query.ts'
import { whenQuiet } from '#kernel/later.tsx'
import { can, loadCredentials } from '#kernel/session.tsx'
import { startTheme } from '#kernel/shade.ts'
import 'virtual:antd/shared.css'
import './app/console.css'
import { AppRoot } from './app/app-root.tsx'
import { preloadPage } from './app/lazy-page.tsx'
import { guardUnload } from './app/leave.ts'
import { firstPermissions } from './app/permissions.ts'
import { matchScreen } from './app/screen-match.ts'
import { Start } from './app/start.tsx'
import { loadMenuIcons } from './app/layout/menu-icon.tsx'
import { restoreTabs } from './app/tabs/tab-state.ts'
import { early } from './early.ts'

const client = makeQueryClient()
const session = loadCredentials()

/** Code and first data of the page at hand start now, beside the permission list. */
function headStart() {
  const match = matchScreen(location.pathname === '/' ? HOME : location.pathname + location.search)
  if (!match || session?.mustChangePassword) return undefined
  const reads = match.screen.prefetch?.(match) ?? []
  return Promise.all([preloadPage(match.screen), ...reads.map((read) => prefetchRead(client, read))])
}

/** So long the frame waits for its page: drawn in one go, both are there sooner than one after the other. */
const TOGETHER_MS = 100

async function start() {
  startTheme()
  if (session) void loadMenuIcons()
  const page = session && headStart()
  const ready = early ? await firstPermissions(early) : 'failed'
  if (ready === 'gone') return
  await Promise.race([page, new Promise((go) => setTimeout(go, TOGETHER_MS))])
  restoreTabs(can)
  guardUnload()
  const root = document.getElementById('root')
  if (!root) return
  createRoot(root).render(
    <AppRoot client={client}>
      <Start ready={ready} />
    </AppRoot>,
  )
  whenQuiet(
    () =>
      void import('./app/focus-return.ts').then(
        ({ returnFocus }) => returnFocus(),
        () => {},
      ),
  )
}

void start()
