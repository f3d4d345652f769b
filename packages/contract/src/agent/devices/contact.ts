import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, reference, rev, search, textLine } from '../../core/fields.ts'
import { declareOptions } from '../../core/options.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'

export const CONTACT_ALLOWED = { 1: '允许', 0: '不允许' } as const
/** Maximum contacts of a device. */
export const MAX_CONTACTS = 200

/** Fields of a contact that can change. */
const changeable = {
  /** Name that a person says to call the target. */
  alias: textLine('称呼', 64),
  allowed: choice('允许对方呼叫', CONTACT_ALLOWED).default(1).meta({ title: '允许对方呼叫', labels: CONTACT_ALLOWED }),
}
export const ContactInput = z.object({ targetId: reference('目标设备'), ...changeable })

export const ContactRow = z.object({
  id: z.int(),
  alias: z.string().meta({ title: '称呼' }),
  /** Alias of the target, else its name; empty when the target is unbound. */
  targetName: z.string().meta({ title: '目标设备' }),
  targetMac: z.string().meta({ title: 'MAC' }),
  allowed: z.int().meta({ title: '允许对方呼叫', labels: CONTACT_ALLOWED }),
  createTime: z.string().meta({ title: '创建时间', format: 'date-time' }),
  rev: z.int(),
})
export type ContactRow = z.output<typeof ContactRow>

const ROOT = '/api/v1/agent/contact'
const byId = z.object({ id })

/** Address book of a voice device: the devices that it calls by name. */
export const agentContacts = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:device:query',
    input: sortedPage(['alias', 'createTime']).extend({
      deviceId: reference('设备'),
      alias: search('称呼', 64),
    }),
    result: createPageSchema(ContactRow),
  },
  /** Whether the parameter `features` of the device's tenant permits address books. */
  feature: {
    method: 'GET',
    path: `${ROOT}/feature`,
    access: 'agent:device:query',
    input: z.object({ deviceId: reference('设备') }),
    result: z.object({ isEnabled: z.boolean() }),
  },
  /** Devices of the same tenant that are not in the address book. */
  targets: declareOptions(`${ROOT}/options/device`, 'agent:device:edit', {
    row: { mac: z.string() },
    asked: { deviceId: reference('设备') },
  }),
  get: { method: 'GET', path: `${ROOT}/:id`, access: 'agent:device:query', input: byId, result: ContactRow },
  create: {
    method: 'POST',
    path: ROOT,
    access: 'agent:device:edit',
    title: '新增联系人',
    body: 'json',
    input: ContactInput.extend({ deviceId: reference('设备') }),
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: 'agent:device:edit',
    title: '修改联系人',
    body: 'json',
    input: z.object({ id, rev, ...changeable }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: 'agent:device:edit',
    title: '删除联系人',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
} as const satisfies Contract
