import { createRoot } from 'react-dom/client'
import { HOME } from './core/routing/addresses.ts'
import { createQueryClient, prefetchRead } from './core/api/query.ts'
import { runWhenIdle } from './core/loading/deferred.tsx'
import { can, getPermissions, loadCredentials } from './core/auth/session.tsx'
import { adoptTheme, startTheme } from './core/theme/color-scheme.ts'
import 'virtual:antd/shared.css'
import './app/console.css'
import { AppRoot } from './app/app-root.tsx'
import { preloadPage } from './app/pages/lazy-page.tsx'
import { guardUnload } from './app/leave.ts'
import { loadFirstPermissions } from './app/permissions.ts'
import { matchRoute } from './app/screen-match.ts'
import { Start } from './app/start.tsx'
import { loadMenuIcons } from './app/layout/menu-icon.tsx'
import { restoreTabs } from './app/tabs/tab-state.ts'
import { earlyPermissions } from './early.ts'

const client = createQueryClient()
const session = loadCredentials()

/** Loads the code and first data of the requested page in parallel with the permission list. */
function headStart() {
  const match = matchRoute(location.pathname === '/' ? HOME : location.pathname + location.search)
  if (!match || session?.mustChangePassword) return undefined
  const reads = match.screen.prefetch?.(match) ?? []
  return Promise.all([preloadPage(match.screen), ...reads.map((read) => prefetchRead(client, read))])
}

/** Maximum wait in milliseconds of the layout for its page. One common render shows both earlier than two renders. */
const TOGETHER_MS = 100

async function start() {
  startTheme()
  if (session) void loadMenuIcons()
  const page = session && headStart()
  const ready = earlyPermissions ? await loadFirstPermissions(earlyPermissions) : 'failed'
  if (ready === 'gone') return
  adoptTheme(getPermissions().theme)
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
  runWhenIdle(
    () =>
      void import('./app/focus-return.ts').then(
        ({ returnFocus }) => returnFocus(),
        () => {},
      ),
  )
}

void start()
