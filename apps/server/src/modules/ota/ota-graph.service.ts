import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { otaGraph, VersionGraph } from '@oms/contract/ota/ota-graph.ts'
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { deviceModels, devicePackages, devices } from '#schema/device.ts'
import { otaVersions } from '#schema/ota.ts'
import { otaPolicies } from '#schema/upgrade.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notFound } from '#core/http/api-error.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped, transact } from '#core/tenancy/tenancy.ts'
import type { ArtifactKind } from './ota-artifact-kind.ts'
import { visibleVersionsOfKind } from './ota-rows.ts'
import { type VersionRange, type RangeGraph, buildRangeGraph, type RunningVersion } from './range-graph.ts'

type View = z.input<typeof VersionGraph>
type Node = View['nodes'][number]
type Asked = ParsedOf<typeof otaGraph.get> & { readonly packageName?: string }

interface Version extends VersionRange {
  readonly tenantId: number
  readonly verName: string
}
interface Count extends RunningVersion {
  readonly tenantId: number
}

/**
 * Returns the upgrade path of every version on devices, now or as if a further version were released to all devices.
 */
export async function getUpgradeGraph(ctx: Ctx, artifact: ArtifactKind, asked: Asked): Promise<View> {
  const { user, services } = ctx
  const { modelId, packageName = '' } = asked
  const { model, draft, counts } = await transact(ctx, async (db) => ({
    model: await modelOf(db, modelId),
    draft: await draftOf(db, user, artifact, asked),
    counts: await countsOf(db, user, modelId, packageName),
  }))
  const enabled = await enabledOf(services.database.db, user, modelId, packageName, draft?.otaId)
  const now = byReach(enabled, counts)
  if (!draft) return { ...viewOf(enabled, now), ...model, effect: null }
  const all = [...enabled, draft]
  const then = byReach(all, counts)
  const view = viewOf(all, then)
  const nodes = view.nodes.map((node) => ({
    ...node,
    isDraft: node.verCode === draft.verCode,
    before: wayOf(now, node.verCode),
  }))
  return { ...view, nodes, ...model, effect: effectOf(draft.verCode, now, then) }
}

async function modelOf(db: Db, modelId: number) {
  const [model] = await db
    .select({ modelName: deviceModels.modelName })
    .from(deviceModels)
    .where(and(eq(deviceModels.id, modelId), notDeleted(deviceModels)))
  if (!model) throw notFound('设备型号')
  return model
}

/** Returns the version that is shown as if it were enabled: a stored version, or the fields of a form. */
async function draftOf(db: Db, user: User, artifact: ArtifactKind, asked: Asked) {
  if (asked.otaId !== undefined) {
    const own = and(
      visibleVersionsOfKind(user, artifact),
      eq(otaVersions.otaId, asked.otaId),
      eq(otaVersions.modelId, asked.modelId),
      eq(otaVersions.packageName, asked.packageName ?? ''),
    )
    const [found] = await db.select(VERSION).from(otaVersions).where(own)
    if (!found) throw notFound(artifact.noun)
    return found
  }
  if (asked.verCode === undefined) return undefined
  const { verCode, oldVerMin = null, oldVerMax = null } = asked
  return { otaId: undefined, tenantId: user.tenantId ?? PLATFORM_TENANT_ID, verCode, verName: '', oldVerMin, oldVerMax }
}

const VERSION = {
  otaId: otaVersions.otaId,
  tenantId: otaVersions.tenantId,
  verCode: otaVersions.verCode,
  verName: otaVersions.verName,
  oldVerMin: otaVersions.oldVerMin,
  oldVerMax: otaVersions.oldVerMax,
}

/**
 * Returns the enabled versions that any device in range may get. A release for its allowlist only, a release that waits for
 * approval or was refused, and a stopped release are no paths. A paused release is a path, because it can continue.
 * The query bypasses row-level security: platform versions reach devices of tenants whose accounts cannot list them.
 */
async function enabledOf(db: Db, user: User, modelId: number, packageName: string, except = 0): Promise<Version[]> {
  const reaching = or(
    scoped(user, { tenant: otaVersions.tenantId }) ?? sql`true`,
    eq(otaVersions.tenantId, PLATFORM_TENANT_ID),
  )
  const isEnabled = and(
    notDeleted(otaVersions),
    eq(otaVersions.status, 1),
    eq(otaVersions.modelId, modelId),
    eq(otaVersions.packageName, packageName),
    sql`${otaVersions.otaId} <> ${except}`,
  )
  const released = and(
    eq(otaPolicies.otaId, otaVersions.otaId),
    eq(otaPolicies.mode, 2),
    inArray(otaPolicies.state, [0, 3]),
  )
  return db.select(VERSION).from(otaVersions).innerJoin(otaPolicies, released).where(and(isEnabled, reaching))
}

/** Counts the devices in scope by tenant and version with one grouped query. */
async function countsOf(db: Db, user: User, modelId: number, packageName: string): Promise<Count[]> {
  const mine = and(
    notDeleted(devices),
    eq(devices.modelId, modelId),
    scoped(user, { tenant: devices.tenantId, creator: devices.createBy }),
  )
  const verCode = packageName ? devicePackages.verCode : devices.verCode
  const from = db
    .select({ tenantId: devices.tenantId, verCode, count: sql<number>`count(*)::int` })
    .from(devices)
    .$dynamic()
  const onDevice = and(eq(devicePackages.deviceId, devices.id), eq(devicePackages.packageName, packageName))
  const joined = packageName ? from.leftJoin(devicePackages, onDevice) : from
  return joined.where(mine).groupBy(devices.tenantId, verCode)
}

interface Reach {
  readonly graph: RangeGraph
  readonly counts: readonly RunningVersion[]
}

/** Builds one graph for each tenant with own versions, and one graph for all other tenants. */
function byReach(enabled: readonly Version[], counts: readonly Count[]): Reach[] {
  const owners = new Set(enabled.map(({ tenantId }) => tenantId).filter((id) => id !== PLATFORM_TENANT_ID))
  return [PLATFORM_TENANT_ID, ...owners].map((owner) => {
    const own = owner !== PLATFORM_TENANT_ID
    const edges = enabled.filter(({ tenantId }) => tenantId === PLATFORM_TENANT_ID || tenantId === owner)
    const running = summed(counts.filter(({ tenantId }) => (own ? tenantId === owner : !owners.has(tenantId))))
    return { graph: buildRangeGraph(edges, running), counts: running }
  })
}

function summed(counts: readonly Count[]): RunningVersion[] {
  const sums = new Map<number | null, number>()
  for (const { verCode, count } of counts) sums.set(verCode, (sums.get(verCode) ?? 0) + count)
  return [...sums].map(([verCode, count]) => ({ verCode, count }))
}

/**
 * Returns the path that most devices of a version take, and the number of devices that cannot reach the newest version.
 */
function wayOf(reaches: readonly Reach[], verCode: number | null) {
  const routes = reaches.flatMap(({ graph }) => graph.routes.filter((route) => route.verCode === verCode))
  const [most] = routes.toSorted((a, b) => b.count - a.count)
  const stranded = routes.reduce((sum, { isStranded, count }) => sum + (isStranded ? count : 0), 0)
  return { path: [...(most?.path ?? [])], stranded }
}

function viewOf(enabled: readonly Version[], reaches: readonly Reach[]): Omit<View, 'modelName' | 'effect'> {
  const running = summed(reaches.flatMap(({ counts }) => counts.map((count) => ({ ...count, tenantId: 0 }))))
  const whole = buildRangeGraph(enabled, running)
  const codes = new Set<number | null>([
    ...running.map(({ verCode }) => verCode),
    ...enabled.map(({ verCode }) => verCode),
  ])
  const nodes = [...codes].map((verCode): Node => {
    const version = enabled.find((each) => each.verCode === verCode)
    const way = running.some((each) => each.verCode === verCode) ? wayOf(reaches, verCode) : wayFrom(enabled, verCode)
    return {
      verCode,
      verName: version?.verName ?? '',
      devices: running.find((each) => each.verCode === verCode)?.count ?? 0,
      isEnabled: version !== undefined,
      isDraft: false,
      oldVerMin: version?.oldVerMin ?? null,
      oldVerMax: version?.oldVerMax ?? null,
      ...way,
    }
  })
  return {
    newest: whole.newest,
    devices: running.reduce((sum, { count }) => sum + count, 0),
    stranded: nodes.reduce((sum, { stranded }) => sum + stranded, 0),
    nodes: nodes.sort((a, b) => (a.verCode ?? -1) - (b.verCode ?? -1)),
    gaps: [...whole.gaps],
    overlaps: whole.overlaps.map((overlap) => ({ ...overlap, others: [...overlap.others] })),
    useless: [...whole.useless],
  }
}

/** Returns the path of a version that no device runs. */
function wayFrom(enabled: readonly VersionRange[], verCode: number | null) {
  const [route] = buildRangeGraph(enabled, [{ verCode, count: 0 }]).routes
  return { path: [...(route?.path ?? [])], stranded: 0 }
}

function effectOf(verCode: number, now: readonly Reach[], then: readonly Reach[]) {
  const codes = new Set(then.flatMap(({ counts }) => counts.map((each) => each.verCode)))
  const effect = { verCode, offered: 0, freed: 0, newlyStranded: 0 }
  for (const { graph } of then)
    for (const { path, count } of graph.routes) if (path[0] === verCode) effect.offered += count
  for (const code of codes) {
    const change = wayOf(then, code).stranded - wayOf(now, code).stranded
    if (change < 0) effect.freed -= change
    else effect.newlyStranded += change
  }
  return effect
}
