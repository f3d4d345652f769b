import { mac } from '@oms/contract/device/device-fields.ts'

/** Returns the twelve lower-case hex digits of a MAC address in a spelling of the console. Undefined for any other text. */
export const parseMacDigits = (text: string): string | undefined => mac.safeParse(text).data
