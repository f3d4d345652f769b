import type { Plugin } from 'vite'

const OUT_OF_TAB_ORDER = "tabIndex: -1,\n    'aria-label': '清空',"

/** Text replacements in antd's fields. */
const PATCHES: readonly { file: RegExp; from: string; to: string }[] = [
  {
    file: /@rc-component[\\/]input[\\/]es[\\/]BaseInput\.js$/,
    from: 'type: "button",',
    to: `type: "button",\n    ${OUT_OF_TAB_ORDER}`,
  },
  {
    file: /@rc-component[\\/]select[\\/]es[\\/]SelectInput[\\/]index\.js$/,
    from: '"aria-label": clearLabel,',
    to: OUT_OF_TAB_ORDER,
  },
  {
    file: /@rc-component[\\/]select[\\/]es[\\/]SelectInput[\\/]index\.js$/,
    from: '// Compatible with multiple lines in TextArea',
    to: `if (event.key === 'Delete' && clearIcon && mode !== 'combobox' && !searchValue) return onClearMouseDown(event)`,
  },
  {
    file: /@rc-component[\\/]select[\\/]es[\\/]OptionList\.js$/,
    from: 'case KeyCode.TAB:',
    to: 'case KeyCode.TAB:\n          if (multiple) break;',
  },
  {
    file: /@rc-component[\\/]picker[\\/]es[\\/]PickerInput[\\/]Selector[\\/]ClearIcon\.js$/,
    from: '"aria-label": locale.clear,',
    to: OUT_OF_TAB_ORDER,
  },
  {
    file: /@rc-component[\\/]picker[\\/]es[\\/]PickerInput[\\/]Selector[\\/]hooks[\\/]useInputProps\.js$/,
    from: "case 'Escape':",
    to: `case 'Delete':
              // The text is selected as a whole, as it is after Tab.
              if (event.target.selectionEnd - event.target.selectionStart === event.target.value.length)
                event.target.closest('.ant-picker')?.querySelector('.ant-picker-clear')?.click()
              break;
            case 'Escape':`,
  },
]
const FILES =
  /@rc-component[\\/](input|select|picker)[\\/]es[\\/].*(BaseInput|SelectInput[\\/]index|OptionList|ClearIcon|useInputProps)\.js$/

/**
 * Patches the keys of antd's fields. Clear buttons are named 清空 and leave the Tab order, so that Tab reaches the next
 * field and Enter never empties a field. The Delete key clears a select, and a date whose text is selected. Tab leaves
 * a select of several options without a change; antd toggles the highlighted option and stays.
 * The build fails when a replaced text is not found exactly once.
 */
export function fieldKeys(): Plugin {
  const patched = new Set<number>()
  let isBuild = false
  return {
    name: 'field-keys',
    configResolved({ command }) {
      isBuild = command === 'build'
    },
    transform: {
      filter: { id: FILES },
      handler(code, id) {
        let result = code
        for (const [at, { file, from, to }] of PATCHES.entries()) {
          if (!file.test(id)) continue
          if (result.split(from).length !== 2) this.error(`${from} is not found once in ${id} any more`)
          result = result.replace(from, () => to)
          patched.add(at)
        }
        return { code: result, map: null }
      },
    },
    buildEnd(error) {
      const missing = PATCHES.filter((_, at) => !patched.has(at))
      if (isBuild && !error && missing.length > 0)
        this.error(`antd's fields are not where they are patched: ${missing.map(({ file }) => file).join(', ')}`)
    },
  }
}
