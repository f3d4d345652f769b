import type { ComponentProps } from 'react'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { Link } from '#core/routing/router.tsx'

type Props = Pick<
  ComponentProps<typeof Link>,
  'to' | 'className' | 'style' | 'title' | 'aria-label' | 'onClick' | 'children'
>

/** Link to a page of the console; plain text when the account may not open the page. */
export function PermittedLink({ to, onClick, ...look }: Props) {
  const isKnown = useKnownPages()
  if (isKnown(to)) return <Link to={to} {...(onClick && { onClick })} {...look} />
  const { 'aria-label': label, ...plain } = look
  return <span {...plain} {...(label && !look.children && { role: 'img', 'aria-label': label })} />
}
