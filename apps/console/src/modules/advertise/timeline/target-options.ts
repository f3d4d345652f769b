import type { RecordOption } from '#kit/pickers/use-shown-options.tsx'

interface Target {
  readonly id: number
  readonly name: string
  readonly detail: string
  readonly hasScreen: boolean
}

/** Text of a list of screens without a match. */
export const NO_PAIRED_SCREEN = '没有找到已配对的屏幕'

const join = (...texts: readonly string[]) => texts.filter((text) => text !== '').join('，')
const addDetails = (name: string, details: string) => (details === '' ? name : `${name}（${details}）`)

/** Returns the option of a screen. A device without a paired screen cannot be selected and says so. */
export const toScreenOption = ({ id, name, detail, hasScreen }: Target): RecordOption => ({
  value: id,
  label: addDetails(name, join(detail === name ? '' : detail, hasScreen ? '' : '未配对，不能选择')),
  disabled: !hasScreen,
})

/** Returns the option of a group, model or tenant. Screens can be paired later, so an empty record can be selected. */
export const toTargetOption = ({ id, name, detail, hasScreen }: Target): RecordOption => ({
  value: id,
  label: addDetails(name, join(detail === name ? '' : detail, hasScreen ? '' : '没有已配对的屏幕')),
})
