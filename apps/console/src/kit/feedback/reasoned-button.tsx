import { Button, type ButtonProps } from 'antd'
import { DisabledFor } from './disabled-for.tsx'

/** antd's button. A `reason` disables the button and is shown to pointer, keyboard and touch. */
export function ReasonedButton({ reason, onClick, ...button }: ButtonProps & { readonly reason: string | undefined }) {
  if (!reason) return <Button {...button} {...(onClick && { onClick })} />
  return <DisabledFor reason={reason}>{(why) => <Button {...button} {...why} htmlType="button" />}</DisabledFor>
}
