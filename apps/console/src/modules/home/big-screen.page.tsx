import { useState } from 'react'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { homeCalls } from './home.ts'
import { type FeedRequest, pollFeeds, useScreen } from './screen-feed.ts'
import { BigScreenView } from './big-screen-view.tsx'

const ENTRIES = {
  fleet: homeCalls.screenFleet,
  online: homeCalls.screenOnline,
  releases: homeCalls.screenReleases,
  tickets: homeCalls.screenTickets,
}
const ask = ((part: keyof typeof ENTRIES, signal: AbortSignal) =>
  call(ENTRIES[part], {}, { signal, quiet: true })) as FeedRequest

/** Big screen for a logged-in user. A display URL shows it without a login. */
export default function BigScreenPage() {
  const [feeds] = useState(() => pollFeeds(ask))
  const screen = useScreen(feeds)
  const { data } = useRead(homeCalls.blocks, {}, { quiet: true })
  return <BigScreenView screen={screen} zone={data?.zone} tools={<Link to="/indexScreen">返回</Link>} />
}
