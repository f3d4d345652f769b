import { Select, type SelectProps } from 'antd'
import { type Due, useTakeOver } from './use-stand-in.ts'

/** antd's select, taking over from its stand-in. */
export const FullSelect = ({ due, ...select }: SelectProps & { due: Due }) => (
  <Select {...select} {...useTakeOver(due)} />
)
