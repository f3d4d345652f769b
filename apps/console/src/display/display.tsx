import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Feed, type FeedRequest, pollFeeds, useFeed, useScreen } from '#modules/home/screen-feed.ts'
import { BigScreenView } from '#modules/home/big-screen-view.tsx'

// Page of a display link: the big screen without a login. The token follows the `#` of the URL, which browsers never
// send.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const token = decodeURIComponent(location.hash.slice(1))

/** The server refuses the display link; `message` is the server's text. */
class LinkRefused extends Error {}

async function ask(part: string, signal: AbortSignal): Promise<unknown> {
  const limits = AbortSignal.any([signal, AbortSignal.timeout(MINUTE_MS)])
  const reply = await fetch(`/api/v1/home/display/${part}`, { headers: { display: token }, signal: limits })
  const { code, msg, data } = (await reply.json()) as { code: number; msg: string; data: unknown }
  if (code === 501) throw new LinkRefused(msg)
  if (code !== 200) throw new Error(msg)
  return data
}

interface About {
  readonly name: string
  readonly zone: string
}
/** Refreshes the link's data every minute: a revoked link stops the display, and a restored link starts it again. */
const about = new Feed<About | { readonly over: string }>(
  (signal) =>
    ask('about', signal).then(
      (data) => data as About,
      (error: unknown) => {
        if (error instanceof LinkRefused) return { over: error.message }
        throw error
      },
    ),
  MINUTE_MS,
)

function Display() {
  const { data } = useFeed(about)
  if (data && 'over' in data) return <RefusalScreen words={data.over} />
  return <RunningScreen zone={data?.zone} name={data?.name} />
}

function RunningScreen({ zone, name }: { zone: string | undefined; name: string | undefined }) {
  const [feeds] = useState(() => pollFeeds(ask as FeedRequest))
  const screen = useScreen(feeds)
  return <BigScreenView screen={screen} zone={zone} tools={name && <span className="big-screen-place">{name}</span>} />
}

const RefusalScreen = ({ words }: { words: string }) => (
  <main className="big-screen big-screen-dark">
    <p className="big-screen-nothing" role="alert">
      {words}
    </p>
  </main>
)

/** Reloads the page when a newer version of the console is installed, because a display stays open for months. */
async function followReleases() {
  const version = async () => (await fetch('/version.json', { cache: 'no-store' })).text()
  const shown = await version().catch(() => undefined)
  setInterval(() => {
    void version().then(
      (now) => shown !== undefined && now !== shown && location.reload(),
      () => {},
    )
  }, HOUR_MS)
}

// Reloads the page when the token in the URL hash changes.
window.addEventListener('hashchange', () => location.reload())
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Display />
    </StrictMode>,
  )
void followReleases()
