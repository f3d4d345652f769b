import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const MODULES = join(import.meta.dirname, '../modules')

/** Why a person knows what a plain disabled control waits for. */
type Visible =
  /** A text, hint, alert or label beside the control says why. */
  | 'text'
  /** The control waits for a request. */
  | 'waits'
  /** Nothing was typed, chosen or changed, or a field beside the control shows its error. */
  | 'input'
  /** The first or last position of a sequence. */
  | 'end'
  /** An option of a select or tree; its label or the form says why. */
  | 'option'
  /** The control only displays a value. */
  | 'display'

/**
 * Controls of the modules that are disabled by `disabled`. Any other control uses `ReasonedButton`, `DisabledFor` or the
 * `reason` of a row action or switch, which pointer, keyboard and touch can read.
 */
const PLAIN: Readonly<Record<string, Readonly<Record<string, Visible>>>> = {
  'account/profile.page.tsx': { 'save.saving': 'waits', '!dirty': 'input' },
  'account/reset.page.tsx': { true: 'display' },
  'account/staff/staff.tsx': { 'status !== 1 || !grantable': 'option' },
  'advertise/ads/ad-audit.tsx': { '!canDecide': 'waits' },
  'advertise/ads/ad-form.tsx': { 'row !== undefined': 'text' },
  'advertise/materials/materials-field.tsx': { off: 'end' },
  'advertise/programs/publish-dialog.tsx': { '!data || count === 0 || (interrupts && typed !== count)': 'text' },
  'advertise/small-pager.tsx': { 'pageNum <= 1': 'end', 'pageNum >= pages': 'end' },
  'advertise/statistics/statistics-charts.tsx': { true: 'option' },
  'advertise/timeline/target-fields.tsx': { '!hasScreen': 'option' },
  'advertise/timeline/track-row.tsx': { 'index === 0': 'end', 'index === count - 1': 'end' },
  'agent/agents/agent-fields.tsx': { "memory === 'nomem'": 'text' },
  'agent/agents/agent-form.tsx': { '!mayEdit || save.saving': 'text', '!dirty': 'input' },
  'agent/agents/try-panel.tsx': { "isTooLong || text.trim() === ''": 'input' },
  'agent/history/memory-panel.tsx': { '!canSave': 'input', '!canErase': 'text' },
  'agent/models/model-form.tsx': {
    'row?.isDefault === 1': 'text',
    "value === undefined && reason.trim() === ''": 'input',
  },
  'agent/orders/order-dialogs.tsx': { 'problem !== undefined': 'text' },
  'device/device-forms.tsx': { 'sns.length === 0 || problem !== undefined': 'text' },
  'device/groups/access.page.tsx': { saving: 'waits', '!dirty': 'input', '!hasToken && !isOn': 'text' },
  'device/groups/group-devices.tsx': { 'sns.length === 0 || Boolean(problem)': 'text' },
  'device/groups/group-form.tsx': { 'self !== undefined': 'text' },
  'home/todo-card.tsx': { isPending: 'waits' },
  'license/license-dialogs.tsx': { '!maySave': 'text', '!maySave || value === null || value === threshold': 'text' },
  'storage/entitlements/device-storage.tsx': { 'month >= thisMonth': 'end' },
  'storage/entitlements/grant-file-dialogs.tsx': {
    isDone: 'text',
    '!file || (isChecked && report?.created === 0)': 'text',
  },
  'storage/playback/view-pictures.tsx': { 'at === 0': 'end', 'at === pictures.length - 1': 'end' },
  'system/brand.page.tsx': { 'save.saving || !mayEdit': 'text', '!save.dirty': 'input' },
  'system/dict/dict-dialogs.tsx': { builtin: 'text' },
  'system/menus/menu-dialogs.tsx': { fixed: 'text', "type === 'F'": 'option' },
  'system/menus/menu.tsx': { '!fits': 'option' },
  'tenant/apply-dialogs.tsx': { 'status !== 1 || !grantable': 'option' },
  'tenant/industry-form.tsx': { fixed: 'text', 'id === row.id': 'option', 'child.id === row.id': 'option' },
  'tenant/switch-tenant.tsx': { isCurrent: 'text' },
  'tenant/tenant-form.tsx': { '!mayGive': 'text' },
  'ticket/handling/comment-form.tsx': { '!save.dirty': 'input' },
  'ticket/handling/dispose-form.tsx': { isBlocked: 'text' },
  'ticket/ticket-head.tsx': { true: 'display' },
  'upgrade/dry-run.tsx': { "text.trim() === ''": 'input' },
  'upgrade/release-buttons.tsx': { isStaged: 'option' },
  'upgrade/release-dialogs.tsx': { 'sns.length === 0 || tooLong !== undefined': 'text' },
  'upgrade/versions/ota-form.tsx': { isSaving: 'waits' },
  'upgrade/versions/version-fields.tsx': { locked: 'text', 'isOfBoards || locked': 'text' },
  'upgrade/versions/version-list.tsx': { true: 'waits' },
}

const withoutComments = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')

/** Returns the conditions that disable a control: attributes of JSX, and properties of objects. */
function disabledIn(source: string) {
  const text = withoutComments(source)
  const attributes = [...text.matchAll(/\sdisabled=\{([^{}]*)\}/g)].map(([, condition]) => condition!)
  const properties = [...text.matchAll(/[{,\s]disabled: ((?:\([^)]*\)|[^,(){}\n])+)/g)].map(
    ([, condition]) => condition!,
  )
  const bare = [...text.matchAll(/<[A-Z][^<>]*?\sdisabled(?=\s|\/?>)/g)].map(() => 'true')
  return [...attributes, ...properties, ...bare].map((condition) => condition.trim().replaceAll(/\s+/g, ' '))
}

test('finds attributes, properties and the short form', () => {
  const source = `<Button size="small" disabled={a > 1} /> <Rate disabled value={1} /> ({ disabled: !f(b) || c, x })`
  expect(disabledIn(source)).toEqual(['a > 1', '!f(b) || c', 'true'])
})

test('every disabled control of a module gives its reason, or is listed with the visible reason', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: MODULES }).filter((file) => !file.includes('.test.'))
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((file) =>
    disabledIn(readFileSync(join(MODULES, file), 'utf8')).map((condition) => `${file}: ${condition}`),
  )
  const listed = Object.entries(PLAIN).flatMap(([file, conditions]) =>
    Object.keys(conditions).map((condition) => `${file}: ${condition}`),
  )
  expect([...new Set(found)].sort()).toEqual(listed.sort())
})
