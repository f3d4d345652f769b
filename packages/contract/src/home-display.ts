import * as z from 'zod'
import { home } from './home.ts'
import type { Contract } from './kernel/endpoint.ts'
import { id, text } from './kernel/fields.ts'

/** Days an address for a screen on the wall may be good for. */
export const DISPLAY_DAYS = [30, 90, 180, 365] as const
/** Live addresses a vendor or a customer may have. */
export const MAX_DISPLAYS = 50
/** The header that carries the secret of such an address; no cookie and no ticket beside it. */
export const DISPLAY_HEADER = 'display'

export const DisplayInput = z.object({
  name: text('名称', 30),
  days: z.coerce
    .number<number>('请选择有效期')
    .pipe(z.literal([...DISPLAY_DAYS], '有效期不正确'))
    .meta({ title: '有效期' }),
})

export const DisplayLink = z.object({
  id: z.int(),
  name: z.string(),
  /** Whose eyes the screen sees with. */
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

/** The big screen without anybody logged in: addresses that show it and nothing else, made and revoked by a manager. */
export const display = {
  links: {
    method: 'GET',
    path: '/api/v1/home/display/link',
    access: manage,
    input: nothing,
    result: z.object({ list: z.array(DisplayLink) }),
  },
  /** The secret is answered this once; the product keeps its hash. */
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
