import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { isFormalRelease, type Rule, findBestRule, type DeviceFacts, type ZonedTime } from './match.ts'
import { SLOT_FLAG, Slots, SlotSet } from './slots.ts'

/** An enabled version with its tasks so far. */
export interface EnabledRule extends Rule {
  readonly allowlistSlots: SlotSet
  /** Number of failed tasks by slot, or `FAILURES_THAT_STOP_RETRIES` for a cancelled task. */
  readonly tried: Map<number, number>
  /** Times of tasks created during the last minute in all processes. */
  recent: number[]
  /** Tasks in download with the time of the last sign of life. */
  readonly fetching: Map<number, number>
}
/** Number of failures that no release retries. */
export const FAILURES_THAT_STOP_RETRIES = 1_000_000

/** A task of a device that is not closed. */
export interface OpenTask {
  readonly taskId: number
  readonly slot: number
  readonly otaId: number
  readonly packageName: string
  readonly verCode: number
  readonly state: number
  readonly pushed: boolean
  readonly handedAt: number
  readonly updatedAt: number
}

export interface Model {
  readonly code: string
  readonly isEnabled: boolean
  /** Channels that can record to cloud storage. */
  readonly cloudChannels: number
  /** Boards of voice devices of this model. */
  readonly boards: readonly string[]
}

/** Authentication settings of a tenant's devices. */
export interface DeviceAccessSettings {
  readonly targetToken: boolean
  readonly gatewayToken: boolean
  readonly gatewayTokenHash: Buffer | null
  readonly autoModelId: number | null
  readonly pollSeconds: number
}
export const DEFAULT_DEVICE_ACCESS: DeviceAccessSettings = {
  targetToken: true,
  gatewayToken: false,
  gatewayTokenHash: null,
  autoModelId: null,
  pollSeconds: 300,
}

/** A device group with its members as slots of the fleet index. */
export interface DeviceGroupState {
  readonly id: number
  readonly tenantId: number
  readonly isDynamic: boolean
  readonly members: SlotSet
}

/**
 * Returns the facts that decide which firmware a device gets. A device of a tenant in `closedTenants` counts as
 * disabled.
 */
export function readDeviceFacts({ slots, models, closedTenants }: FleetState, slot: number) {
  const tenantId = slots.tenants[slot]!
  const modelId = slots.models[slot]!
  return {
    deviceId: slots.ids[slot]!,
    tenantId,
    modelId,
    enabled: (slots.flags[slot]! & SLOT_FLAG.enabled) !== 0 && !closedTenants.has(tenantId),
    isModelEnabled: models.get(modelId)?.isEnabled === true,
    verCode: slots.versionOf(slot),
    slot,
  }
}

const MINUTE_MS = 60_000

const higherFirst = (a: EnabledRule, b: EnabledRule) => b.verCode - a.verCode || b.otaId - a.otaId

/** All data that device requests use without a database query. */
export class FleetState {
  slots: Slots
  readonly models = new Map<number, Model>()
  readonly #modelByBoard = new Map<string, number>()
  readonly tenantIds = new Map<string, number>()
  /**
   * Tenants that are disabled (by an account, or by the job after their expiry) or deleted. Their devices are not
   * served.
   */
  readonly closedTenants = new Set<number>()
  readonly access = new Map<number, DeviceAccessSettings>()
  readonly groups = new Map<number, DeviceGroupState>()
  readonly rules = new Map<number, EnabledRule>()
  /** Enabled firmware versions by model, highest first. */
  readonly firmware = new Map<number, EnabledRule[]>()
  readonly packages = new Map<number, EnabledRule[]>()
  /** Firmware versions that can reach devices outside any allowlist. */
  readonly formal = new Map<number, EnabledRule[]>()
  readonly tasks = new Map<number, OpenTask>()
  readonly #tasksOf = new Map<number, OpenTask[]>()

  constructor(expected = 1000) {
    this.slots = new Slots(expected)
  }

  /** Replaces all models. */
  setModels(models: readonly (Model & { readonly id: number })[]) {
    this.models.clear()
    this.#modelByBoard.clear()
    for (const { id, ...model } of models) {
      this.models.set(id, model)
      if (model.isEnabled) for (const board of model.boards) this.#modelByBoard.set(board, id)
    }
  }

  /** Returns the enabled model that has this board. */
  modelOfBoard(board: string) {
    return this.#modelByBoard.get(board)
  }

  /** Replaces all rules and keeps the task data of known versions. */
  setRules(rules: readonly EnabledRule[]) {
    this.rules.clear()
    this.firmware.clear()
    this.packages.clear()
    for (const rule of rules) this.#listOf(rule).push(rule)
    for (const list of [...this.firmware.values(), ...this.packages.values()]) list.sort(higherFirst)
    for (const rule of rules) this.rules.set(rule.otaId, rule)
    this.formal.clear()
    for (const modelId of this.firmware.keys()) this.#sift(modelId)
  }

  /** Replaces the rules of these versions. Removes versions without a rule. */
  replaceRules(otaIds: Iterable<number>, rules: readonly EnabledRule[]) {
    for (const otaId of otaIds) this.#dropRule(otaId)
    for (const rule of rules) {
      this.rules.set(rule.otaId, rule)
      this.#listOf(rule).push(rule)
      this.#listOf(rule).sort(higherFirst)
      this.#sift(rule.modelId)
    }
  }

  #dropRule(otaId: number) {
    const rule = this.rules.get(otaId)
    if (!rule) return
    this.rules.delete(otaId)
    const left = this.#listOf(rule).filter((each) => each !== rule)
    const byModel = this.#byModel(rule)
    if (left.length > 0) byModel.set(rule.modelId, left)
    else byModel.delete(rule.modelId)
    this.#sift(rule.modelId)
  }

  #sift(modelId: number) {
    const formal = (this.firmware.get(modelId) ?? []).filter(isFormalRelease)
    if (formal.length > 0) this.formal.set(modelId, formal)
    else this.formal.delete(modelId)
  }

  #byModel({ kind }: EnabledRule) {
    return kind === 1 ? this.firmware : this.packages
  }

  #listOf(rule: EnabledRule): EnabledRule[] {
    const byModel = this.#byModel(rule)
    const list = byModel.get(rule.modelId) ?? []
    byModel.set(rule.modelId, list)
    return list
  }

  openTasks(slot: number): readonly OpenTask[] {
    return (this.slots.flags[slot]! & SLOT_FLAG.open) === 0 ? [] : (this.#tasksOf.get(slot) ?? [])
  }

  /** Replaces the open tasks of a device. */
  setTasks(slot: number, tasks: readonly OpenTask[]) {
    for (const { taskId, otaId } of this.#tasksOf.get(slot) ?? []) {
      this.rules.get(otaId)?.fetching.delete(taskId)
      if (!tasks.some((task) => task.taskId === taskId)) this.tasks.delete(taskId)
    }
    for (const task of tasks) this.#note(task)
    if (tasks.length > 0) {
      this.#tasksOf.set(slot, [...tasks])
      this.slots.flags[slot]! |= SLOT_FLAG.open
    } else {
      this.#tasksOf.delete(slot)
      this.slots.flags[slot]! &= ~SLOT_FLAG.open
    }
  }

  /** True when this version failed or was cancelled on the device too often for another automatic task. */
  isSpent(rule: EnabledRule, slot: number) {
    const failures = rule.tried.get(slot)
    return failures !== undefined && failures > rule.autoRetries
  }

  /** Counts the tasks of this version created during the last minute. */
  handedOut(rule: EnabledRule, now: number) {
    const since = now - MINUTE_MS
    if (rule.recent.length > 0 && rule.recent[0]! <= since) rule.recent = rule.recent.filter((at) => at > since)
    return rule.recent.length
  }

  #note(task: OpenTask) {
    const { taskId, otaId, state, handedAt, updatedAt } = task
    const rule = this.rules.get(otaId)
    if (rule && !this.tasks.has(taskId) && !task.pushed) rule.recent.push(handedAt)
    if (rule && (state === TASK_STATE_CODE.fetched || state === TASK_STATE_CODE.downloading))
      rule.fetching.set(taskId, updatedAt)
    this.tasks.set(taskId, task)
  }
}

/** A software package that is installed on a device, with its version. */
export interface InstalledPackage {
  readonly name: string
  readonly verCode: number
}

/** Rules of one model: the enabled rules, with a draft replacing its stored rule. */
export interface ModelRules {
  readonly firmware: readonly EnabledRule[]
  readonly packages: readonly EnabledRule[]
}

type IndexedDevice = DeviceFacts & { readonly slot: number }
type FleetRules = Pick<FleetState, 'firmware' | 'packages' | 'isSpent' | 'openTasks'>

/** Returns the rules of a model with this draft. */
export function replaceWithDraft(state: FleetRules, draft: EnabledRule): ModelRules {
  const others = (rules: readonly EnabledRule[] = []) => rules.filter(({ otaId }) => otaId !== draft.otaId)
  const firmware = others(state.firmware.get(draft.modelId))
  const packages = others(state.packages.get(draft.modelId))
  return draft.kind === 1 ? { firmware: [...firmware, draft], packages } : { firmware, packages: [...packages, draft] }
}

/**
 * Yields the rules that a device without an open task is offered, in order: firmware, then packages by name. `device`
 * contains the firmware version. Polls, dry runs and explanations all use this order.
 */
export function* iterateCandidates(
  state: FleetRules,
  { firmware, packages }: ModelRules,
  device: IndexedDevice,
  installed: readonly InstalledPackage[],
  now: ZonedTime,
): Generator<EnabledRule> {
  const isFree = (rule: EnabledRule) => !state.isSpent(rule, device.slot)
  const best = findBestRule(firmware, device, now, isFree)
  if (best) yield best
  for (const { name, verCode } of installed.toSorted(byName)) {
    const rules = packages.filter(({ packageName }) => packageName === name)
    const found = rules.length > 0 ? findBestRule(rules, { ...device, verCode }, now, isFree) : undefined
    if (found) yield found
  }
}

const byName = (a: InstalledPackage, b: InstalledPackage) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** Reasons why a device that matches a rule does not receive its version at the next poll. */
export interface Precedence {
  readonly isSpent: boolean
  /** An open task for any version: a device works on one task at a time. */
  readonly open: OpenTask | undefined
  /** The rule whose version the device is offered first. */
  readonly outrankedBy: EnabledRule | undefined
}

/** Returns the reasons that delay a matching rule for a device. */
export function listPrecedenceReasons(
  state: FleetRules,
  rule: EnabledRule,
  rules: ModelRules,
  device: IndexedDevice,
  installed: readonly InstalledPackage[],
  now: ZonedTime,
): Precedence {
  const [first] = iterateCandidates(state, rules, device, installed, now)
  return {
    isSpent: state.isSpent(rule, device.slot),
    open: state.openTasks(device.slot)[0],
    outrankedBy: first && first.otaId !== rule.otaId ? first : undefined,
  }
}
