import {
  NO_PROBLEMS,
  PROBLEM_DICT,
  PROBLEM_OPTIONS,
  PROBLEM_PART,
  PROBLEM_PARTS,
  type ProblemPart,
} from '@oms/contract/ticket/ticket-rows.ts'
import { Checkbox } from 'antd'
import { useDict } from '#kit/pickers/use-dict.ts'

type Ticked = Readonly<Record<ProblemPart, readonly string[]>>

/** The three problem checklists. As a form control its value holds the selected options of each checklist. */
export function Checklists({
  value = NO_PROBLEMS,
  onChange,
  disabled = false,
}: {
  value?: Ticked
  onChange?: (value: Ticked) => void
  disabled?: boolean
}) {
  return (
    <div className="ticket-checklists">
      {PROBLEM_PARTS.map((part) => (
        <Checklist
          key={part}
          part={part}
          disabled={disabled}
          ticked={value[part]}
          onChange={(ticked) => onChange?.({ ...value, [part]: ticked })}
        />
      ))}
    </div>
  )
}

function Checklist(props: {
  part: ProblemPart
  ticked: readonly string[]
  disabled: boolean
  onChange(ticked: string[]): void
}) {
  const { part, ticked, disabled, onChange } = props
  const dict = useDict(PROBLEM_DICT[part])
  return (
    <fieldset>
      <legend>{PROBLEM_PART[part]}</legend>
      <Checkbox.Group
        disabled={disabled}
        value={[...ticked]}
        onChange={(next) => onChange(next as string[])}
        options={PROBLEM_OPTIONS[part].map((option) => ({ value: option, label: dict.labelOf(option) }))}
      />
    </fieldset>
  )
}
