import {
  NO_PROBLEMS,
  PROBLEM_DICT,
  PROBLEM_OPTIONS,
  PROBLEM_PART,
  PROBLEM_PARTS,
  type ProblemPart,
} from '@oms/contract/ticket/ticket-rows.ts'
import { Checkbox, Tag } from 'antd'
import { TagList } from '#kit/record/tag-list.tsx'
import { useDict } from '#kit/pickers/use-dict.ts'

type Ticked = Readonly<Record<ProblemPart, readonly string[]>>

/** The three problem checklists. As a form control its value holds the selected options of each checklist. */
export function Checklists({ value = NO_PROBLEMS, onChange }: { value?: Ticked; onChange?: (value: Ticked) => void }) {
  return (
    <div className="kit-stack">
      {PROBLEM_PARTS.map((part) => (
        <Checklist
          key={part}
          part={part}
          ticked={value[part]}
          onChange={(ticked) => onChange?.({ ...value, [part]: ticked })}
        />
      ))}
    </div>
  )
}

function Checklist(props: { part: ProblemPart; ticked: readonly string[]; onChange(ticked: string[]): void }) {
  const { part, ticked, onChange } = props
  const dict = useDict(PROBLEM_DICT[part])
  return (
    <fieldset className="kit-box">
      <legend>{PROBLEM_PART[part]}</legend>
      <Checkbox.Group
        className="ticket-options"
        value={[...ticked]}
        onChange={(next) => onChange(next as string[])}
        options={PROBLEM_OPTIONS[part].map((option) => ({ value: option, label: dict.labelOf(option) }))}
      />
    </fieldset>
  )
}

/** The chosen options of the checklists as tags, for a ticket that the account may only read. */
export function ChosenProblems({ value }: { value: Ticked }) {
  const parts = PROBLEM_PARTS.filter((part) => value[part].length > 0)
  if (parts.length === 0) return <p className="kit-muted">未选择问题分类</p>
  return (
    <div className="kit-stack">
      {parts.map((part) => (
        <ChosenPart key={part} part={part} ticked={value[part]} />
      ))}
    </div>
  )
}

function ChosenPart({ part, ticked }: { part: ProblemPart; ticked: readonly string[] }) {
  const dict = useDict(PROBLEM_DICT[part])
  return (
    <fieldset className="kit-box">
      <legend>{PROBLEM_PART[part]}</legend>
      <TagList>
        {ticked.map((option) => (
          <Tag key={option}>{dict.labelOf(option)}</Tag>
        ))}
      </TagList>
    </fieldset>
  )
}
