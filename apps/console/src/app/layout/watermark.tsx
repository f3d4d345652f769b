import { useRead } from '#core/api/query.ts'
import { useSession } from '#core/auth/session.tsx'
import { formatWallClock } from '#core/text/format.ts'
import { shellCalls } from '#app/calls.ts'

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Shows who looks at the page, and when, in faint text over every page: name, last digits of the phone, date. */
export function Watermark() {
  const session = useSession()
  const { data } = useRead(
    shellCalls.detail,
    { id: session?.uid ?? 0 },
    { enabled: session !== undefined, quiet: true },
  )
  if (!session) return null
  const name = data?.realname || session.account
  const text = [name, data?.mobileNo?.slice(-4), formatWallClock().slice(0, 10)].filter(Boolean).join(' ')
  const safe = text.replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? '')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200"><text x="20" y="120" transform="rotate(-18 160 100)" font-family="sans-serif" font-size="15" fill="#808080" fill-opacity=".17">${safe}</text></svg>`
  return (
    <div
      className="watermark"
      aria-hidden="true"
      style={{ backgroundImage: `url("data:image/svg+xml,${encodeURIComponent(svg)}")` }}
    />
  )
}
