import { Select, type SelectProps } from 'antd'
import { type Due, useTakeOver } from './use-placeholder.ts'

export type FullSelectProps = SelectProps & { due: Due }

/** antd's select, which replaces the placeholder. */
export const FullSelect = ({ due, ...select }: FullSelectProps) => <Select {...select} {...useTakeOver(due)} />
