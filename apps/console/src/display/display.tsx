import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Feed } from '#modules/home/screen-feed.ts'
import { type Ask, feedsOf, useFeed, useScreen } from '#modules/home/use-screen.ts'
import { Wall } from '#modules/home/wall.tsx'

// A page of its own for a screen nobody is logged in at: the secret stands behind the `#`, which browsers send nowhere.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const token = decodeURIComponent(location.hash.slice(1))

/** The server does not know the address (any more): said in its own words. */
class Over extends Error {}

async function ask(part: string, signal: AbortSignal): Promise<unknown> {
  const limits = AbortSignal.any([signal, AbortSignal.timeout(MINUTE_MS)])
  const reply = await fetch(`/api/v1/home/display/${part}`, { headers: { display: token }, signal: limits })
  const { code, msg, data } = (await reply.json()) as { code: number; msg: string; data: unknown }
  if (code === 501) throw new Over(msg)
  if (code !== 200) throw new Error(msg)
  return data
}

interface About {
  readonly name: string
  readonly zone: string
}
/** Asked each minute as well: an address that is revoked goes dark, one whose maker is back shines again. */
const about = new Feed<About | { readonly over: string }>(
  (signal) =>
    ask('about', signal).then(
      (data) => data as About,
      (error: unknown) => {
        if (error instanceof Over) return { over: error.message }
        throw error
      },
    ),
  MINUTE_MS,
)

function Display() {
  const { data } = useFeed(about)
  if (data && 'over' in data) return <Dark words={data.over} />
  return <Lit zone={data?.zone} name={data?.name} />
}

function Lit({ zone, name }: { zone: string | undefined; name: string | undefined }) {
  const [feeds] = useState(() => feedsOf(ask as Ask))
  const screen = useScreen(feeds)
  return <Wall screen={screen} zone={zone} tools={name && <span className="wall-place">{name}</span>} />
}

const Dark = ({ words }: { words: string }) => (
  <main className="wall wall-dark">
    <p className="wall-nothing" role="alert">
      {words}
    </p>
  </main>
)

/** A wall hangs for months: a release installed meanwhile is fetched by itself. */
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

// Another address in the same window is another wall.
window.addEventListener('hashchange', () => location.reload())
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Display />
    </StrictMode>,
  )
void followReleases()
