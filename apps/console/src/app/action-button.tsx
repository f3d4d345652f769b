import type { ComponentProps } from 'react'

interface Props extends Pick<ComponentProps<'button'>, 'children' | 'onClick'> {
  readonly primary?: boolean
}

/** A button of pages that must work where antd's code has not arrived. */
export const ActionButton = ({ primary = false, ...rest }: Props) => (
  <button type="button" className={primary ? 'action action-primary' : 'action'} {...rest} />
)
