import { Select, type SelectProps } from 'antd'
import { type Due, useTakeOver } from './use-placeholder.ts'

/** antd's select, which replaces the placeholder. */
export const FullSelect = ({ due, ...select }: SelectProps & { due: Due }) => (
  <Select {...select} {...useTakeOver(due)} />
)
