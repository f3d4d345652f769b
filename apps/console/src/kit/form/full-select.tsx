import { Select, type SelectProps } from 'antd'
import { type PlaceholderState, usePlaceholderState } from './use-placeholder.ts'

export type FullSelectProps = SelectProps & { due: PlaceholderState }

/** antd's select, which replaces the placeholder. */
export const FullSelect = ({ due, ...select }: FullSelectProps) => <Select {...select} {...usePlaceholderState(due)} />
