import { useState } from 'react'
import { call } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { calls } from './calls.ts'
import { type Ask, feedsOf, useScreen } from './use-screen.ts'
import { Wall } from './wall.tsx'

const ENTRIES = {
  fleet: calls.screenFleet,
  online: calls.screenOnline,
  releases: calls.screenReleases,
  tickets: calls.screenTickets,
}
const ask = ((part: keyof typeof ENTRIES, signal: AbortSignal) =>
  call(ENTRIES[part], {}, { signal, quiet: true })) as Ask

/** The big screen for somebody logged in. For one that hangs for weeks without anybody there is an address of its own. */
export default function BigScreenPage() {
  const [feeds] = useState(() => feedsOf(ask))
  const screen = useScreen(feeds)
  const { data } = useRead(calls.blocks, {}, { quiet: true })
  return <Wall screen={screen} zone={data?.zone} tools={<Link to="/indexScreen">返回</Link>} />
}
