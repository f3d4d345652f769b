import type { ComponentProps } from 'react'

interface Props extends Pick<ComponentProps<'button'>, 'children' | 'onClick'> {
  readonly primary?: boolean
}

/** Renders a button without antd, for pages that work before antd's code is loaded. */
export const ActionButton = ({ primary = false, ...rest }: Props) => (
  <button type="button" className={primary ? 'action action-primary' : 'action'} {...rest} />
)
