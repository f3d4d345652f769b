import { type agentContacts as calls, ContactInput, MAX_CONTACTS } from '@oms/contract/agent/devices/contact.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, eq, ne, notExists, or, sql } from 'drizzle-orm'
import { alias as aliased } from 'drizzle-orm/pg-core'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { contains, buildSort, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { isFeatureEnabled } from '../parameter-values.ts'
import { agentContacts, agentDevices } from '../schema/agent-device.ts'
import { visibleBindings, BINDING_NAME } from './device.ts'

const KIND = 'agentDevice'
const TITLES = readFieldTitles(ContactInput.shape)
const MAX_OPTIONS = 100
const CLASHES = {
  agent_contacts_alias: ['称呼已存在', 'alias'],
  agent_contacts_target: ['该设备已在通讯录中', 'targetId'],
} as const

const target = aliased(agentDevices, 'target')
const targetDevice = aliased(devices, 'target_device')
const isOwner = and(eq(agentDevices.mac, agentContacts.mac), eq(agentDevices.tenantId, agentContacts.tenantId))

const select = (db: Db) =>
  db
    .select({
      id: agentContacts.id,
      alias: agentContacts.alias,
      targetName: sql<string>`coalesce(nullif(${target.alias}, ''), nullif(${targetDevice.devName}, ''),
        ${targetDevice.sn}, '')`.as('target_name'),
      targetMac: sql<string>`${agentContacts.targetMac}::macaddr::text`.as('shown_mac'),
      allowed: agentContacts.allowed,
      createTime: agentContacts.createTime,
      rev: agentContacts.rev,
    })
    .from(agentContacts)
    .innerJoin(agentDevices, isOwner)
    .leftJoin(target, and(eq(target.mac, agentContacts.targetMac), eq(target.tenantId, agentContacts.tenantId)))
    .leftJoin(targetDevice, eq(targetDevice.id, target.deviceId))

export function listContacts({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = select(db).where(
    and(eq(agentDevices.deviceId, input.deviceId), visibleBindings(user), contains(agentContacts.alias, input.alias)),
  )
  const { alias, createTime, id } = agentContacts
  return paginate(db, rows.$dynamic(), input, buildSort(input, { alias, createTime }, id, [desc(id)]))
}

export async function getContact({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await select(db).where(and(eq(agentContacts.id, id), visibleBindings(user)))
  if (!found) throw notFound('联系人')
  return found
}

export async function getContactFeature({ db, user, services }: Ctx, { deviceId }: ParsedOf<typeof calls.feature>) {
  const [found] = await db
    .select({ tenantId: agentDevices.tenantId })
    .from(agentDevices)
    .where(and(eq(agentDevices.deviceId, deviceId), visibleBindings(user)))
  if (!found) throw notFound('语音设备')
  return { isEnabled: await isFeatureEnabled(services, found.tenantId, 'contacts') }
}

async function assertFeature({ services }: Ctx, tenantId: number) {
  if (!(await isFeatureEnabled(services, tenantId, 'contacts')))
    throw refused('通讯录功能已停用，请在参数 features 中启用')
}

/**
 * Returns a binding that the account may see, or undefined. Locks the binding, so that its address book cannot change
 * until the transaction ends.
 */
async function lockBinding({ db, user }: Pick<Ctx, 'db' | 'user'>, deviceId: number) {
  const [found] = await db
    .select({ deviceId: agentDevices.deviceId, tenantId: agentDevices.tenantId, mac: agentDevices.mac })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(and(eq(agentDevices.deviceId, deviceId), visibleBindings(user), notDeleted(devices)))
    .for('update', { of: agentDevices })
  return found
}

/** Returns the devices that the device can call: other devices of the same tenant that are not in its address book. */
export async function listContactTargetOptions(
  { db, user }: Ctx,
  { deviceId, keyword }: ParsedOf<typeof calls.targets>,
) {
  const owner = aliased(agentDevices, 'owner')
  const known = db
    .select({ id: agentContacts.id })
    .from(agentContacts)
    .where(and(eq(agentContacts.mac, owner.mac), eq(agentContacts.targetMac, agentDevices.mac)))
  const list = await db
    .select({
      id: agentDevices.deviceId,
      name: BINDING_NAME.as('shown_name'),
      mac: sql<string>`${agentDevices.mac}::macaddr::text`.as('shown_mac'),
    })
    .from(agentDevices)
    .innerJoin(owner, and(eq(owner.deviceId, deviceId), eq(owner.tenantId, agentDevices.tenantId)))
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(
      and(
        visibleBindings(user),
        notDeleted(devices),
        ne(agentDevices.deviceId, deviceId),
        or(contains(BINDING_NAME, keyword), contains(agentDevices.mac, keyword?.toLowerCase().replaceAll(/[:-]/g, ''))),
        notExists(known),
      ),
    )
    .orderBy(asc(BINDING_NAME), asc(agentDevices.deviceId))
    .limit(MAX_OPTIONS)
  return { list }
}

const publish = ({ services, db }: Ctx, tenantId: number) =>
  services.events.publish(db, 'changed', { resource: 'agent', tenantId })

export async function createContact(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const { deviceId, targetId, alias, allowed } = input
  const owner = await lockBinding(ctx, deviceId)
  if (!owner) throw notFound('语音设备')
  await assertFeature(ctx, owner.tenantId)
  if (targetId === deviceId) throw invalid('不能添加设备自身', 'targetId')
  const isTarget = and(eq(agentDevices.deviceId, targetId), visibleBindings(user))
  const [called] = await db
    .select({ mac: agentDevices.mac, tenantId: agentDevices.tenantId })
    .from(agentDevices)
    .where(isTarget)
  if (!called) throw invalid('目标设备没有绑定智能体', 'targetId')
  if (called.tenantId !== owner.tenantId) throw invalid('只能添加同一客户的设备', 'targetId')
  if ((await db.$count(agentContacts, eq(agentContacts.mac, owner.mac))) >= MAX_CONTACTS)
    throw invalid(`一台设备最多${MAX_CONTACTS}个联系人`, 'targetId')
  const { tenantId, mac } = owner
  const people = { createBy: user.uid, updateBy: user.uid }
  const [made] = await db
    .insert(agentContacts)
    .values({ tenantId, mac, targetMac: called.mac, alias, allowed, ...people })
    .returning({ id: agentContacts.id })
    .catch((error: unknown) => {
      throw toUniqueViolation(error, CLASHES) ?? error
    })
  ctx.audit({ bizType: KIND, bizId: deviceId, action: `新增联系人「${alias}」` })
  await publish(ctx, tenantId)
  return { id: made!.id }
}

/** Returns the contact with the device that owns it, locked until the transaction ends. */
async function lockContact({ db, user }: Ctx, id: number) {
  const [found] = await db
    .select({ contact: agentContacts, deviceId: agentDevices.deviceId })
    .from(agentContacts)
    .innerJoin(agentDevices, isOwner)
    .where(and(eq(agentContacts.id, id), visibleBindings(user)))
    .for('update', { of: agentContacts })
  if (!found) throw notFound('联系人')
  return found
}

export async function updateContact(ctx: Ctx, { id, rev, ...values }: ParsedOf<typeof calls.update>) {
  const { contact, deviceId } = await lockContact(ctx, id)
  await assertFeature(ctx, contact.tenantId)
  await checkRevision(ctx.db, contact, rev)
  const diff = listChanges(contact, values, TITLES)
  if (diff.length === 0) return { rev: contact.rev }
  const next = updateColumns(contact, ctx.user.uid, ctx.now)
  await ctx.db
    .update(agentContacts)
    .set({ ...values, ...next })
    .where(eq(agentContacts.id, id))
    .catch((error: unknown) => {
      throw toUniqueViolation(error, CLASHES) ?? error
    })
  ctx.audit({ bizType: KIND, bizId: deviceId, action: `修改联系人「${contact.alias}」`, diff })
  await publish(ctx, contact.tenantId)
  return { rev: next.rev }
}

export async function removeContact(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { contact, deviceId } = await lockContact(ctx, id)
  await ctx.db.delete(agentContacts).where(eq(agentContacts.id, id))
  ctx.audit({ bizType: KIND, bizId: deviceId, action: `删除联系人「${contact.alias}」` })
  await publish(ctx, contact.tenantId)
  return null
}
