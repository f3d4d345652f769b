import type { FileRule } from '@oms/contract/core/endpoint.ts'
import { describeTableLimits } from '@oms/contract/core/upload.ts'
import '#kit/kit.css'

interface TableLimitsProps {
  readonly rule: FileRule
  /** Text before the limits, for example the columns. */
  readonly intro?: string
  /** Text after the limits. */
  readonly outro?: string
}

/** States the formats, the rows and the size of a table before a person chooses the file. */
export const TableLimits = ({ rule, intro = '', outro = '' }: TableLimitsProps) => (
  <p className="kit-muted">
    {intro}
    {describeTableLimits(rule)}
    {outro}
  </p>
)
