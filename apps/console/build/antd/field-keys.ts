import { type TextPatch, textPatches } from './text-patches.ts'

const OUT_OF_TAB_ORDER = "tabIndex: -1,\n    'aria-label': '清空',"

const PATCHES: readonly TextPatch[] = [
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

/**
 * Patches the keys of antd's fields. Clear buttons are named 清空 and leave the Tab order, so that Tab reaches the next
 * field and Enter never empties a field. The Delete key clears a select, and a date whose text is selected. Tab leaves
 * a select of several options without a change; antd toggles the highlighted option and stays.
 */
export const fieldKeys = () => textPatches('field-keys', PATCHES)
