import { hasRows } from './playback-fixture.ts'
import { type Camera, DAY, RANGE, type Session } from './home-fixture.ts'

const HALF_HOUR_MS = 1_800_000

type Rows = { code: number; data: { list?: { sn?: string }[] } }
const listsCamera = ({ code, data }: Rows, { sn }: Camera) => code === 200 && data.list!.some((row) => row.sn === sn)

/** What a person may try with a camera. Each returns true when the person gets or changes something. */
export const ACCESS_ATTEMPTS = {
  list: async (session: Session, camera: Camera) => listsCamera(await session('GET', 'device/list'), camera),
  days: async (session: Session, { sn }: Camera) =>
    hasRows(await session('GET', `day?sn=${sn}&month=${DAY.slice(0, 7)}`)),
  timeline: async (session: Session, { sn }: Camera) => hasRows(await session('GET', `timeline?sn=${sn}&day=${DAY}`)),
  events: async (session: Session, { sn }: Camera) => hasRows(await session('GET', `event/page?sn=${sn}&day=${DAY}`)),
  pictures: async (session: Session, { sn }: Camera) =>
    hasRows(await session('GET', `picture/page?sn=${sn}&day=${DAY}`)),
  play: async (session: Session, { sn }: Camera) => (await session('POST', 'play', { sn, ...RANGE })).code === 200,
  notices: async (session: Session, camera: Camera) => listsCamera(await session('GET', 'notice/page'), camera),
  consent: async (session: Session, { sn }: Camera) =>
    (await session('POST', 'consent', { sn, ...RANGE, validUntil: Date.now() + HALF_HOUR_MS })).code === 200,
} as const
/** Addresses of media that a session received. */
export const ADDRESS_KINDS = ['playlist', 'segment', 'picture'] as const
export type AccessAttempt = keyof typeof ACCESS_ATTEMPTS | (typeof ADDRESS_KINDS)[number]
export type ExpectedResults = Readonly<Partial<Record<AccessAttempt, boolean>>>

/** Returns the expected results: the attempts named in `yes` succeed (`all`: every attempt), all others fail. */
export const expectResults = (yes: string): ExpectedResults =>
  Object.fromEntries(
    [...ADDRESS_KINDS, ...Object.keys(ACCESS_ATTEMPTS)].map((name) => [
      name,
      yes === 'all' || yes.split(' ').includes(name),
    ]),
  )
