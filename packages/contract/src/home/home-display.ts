import * as z from 'zod'
import { home } from './home.ts'
import type { Contract } from '../core/endpoint.ts'
import { asWholeNumber, id, textLine } from '../core/fields.ts'

/** Maximum validity of a display URL in days. */
export const DISPLAY_DAYS = [30, 90, 180, 365] as const
/** Maximum valid display URLs of the vendor or of a tenant. */
export const MAX_DISPLAYS = 50
/** Header with the secret of a display URL. Display requests send neither cookie nor session ticket. */
export const DISPLAY_HEADER = 'display'

export const DisplayInput = z.object({
  name: textLine('名称', 30),
  days: asWholeNumber(
    z.literal([...DISPLAY_DAYS], {
      error: ({ input }) => (input === undefined ? '请选择有效期' : '有效期不正确'),
    }),
  ).meta({ title: '有效期' }),
})

export const DisplayLink = z.object({
  id: z.int(),
  name: z.string(),
  /** Name of the account that created the link. The display shows the data that this account may see. */
  maker: z.string(),
  createTime: z.string(),
  expireTime: z.string(),
  expired: z.boolean(),
  lastSeenTime: z.string().nullable(),
  lastSeenIp: z.string(),
})
export type DisplayLink = z.output<typeof DisplayLink>

const manage = 'index:indexScreen:display'
const nothing = z.object({})

/** Display URLs of the big screen, which show the screen without a login. A manager creates and revokes them. */
export const homeDisplay = {
  links: {
    method: 'GET',
    path: '/api/v1/home/display/link',
    access: manage,
    input: nothing,
    result: z.object({ list: z.array(DisplayLink) }),
  },
  /** The secret is returned only in this response; the server stores its hash. */
  create: {
    method: 'POST',
    path: '/api/v1/home/display/link',
    access: manage,
    title: '新增大屏展示链接',
    input: DisplayInput,
    result: z.object({ id: z.int(), token: z.string() }),
    done: '展示链接已生成',
  },
  revoke: {
    method: 'DELETE',
    path: '/api/v1/home/display/link/:id',
    access: manage,
    title: '撤销大屏展示链接',
    kind: 'remove',
    input: z.object({ id }),
    result: z.null(),
    done: '已撤销',
  },
  about: {
    method: 'GET',
    path: '/api/v1/home/display/about',
    access: 'public',
    perMinute: 120,
    input: nothing,
    result: z.object({ name: z.string(), zone: z.string() }),
  },
  fleet: { ...home.screenFleet, path: '/api/v1/home/display/fleet', access: 'public', perMinute: 120 },
  online: { ...home.screenOnline, path: '/api/v1/home/display/online', access: 'public', perMinute: 120 },
  releases: { ...home.screenReleases, path: '/api/v1/home/display/releases', access: 'public', perMinute: 120 },
  tickets: { ...home.screenTickets, path: '/api/v1/home/display/tickets', access: 'public', perMinute: 120 },
} as const satisfies Contract
