import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '#core/config/config.ts'
import { readableError } from './readable-stack.ts'

/** Creates the JSON log of a process. `readableError` removes query parameters from every error. */
export const createLogger = (level: Config['logLevel'], destination?: DestinationStream): Logger =>
  destination
    ? pino({ level, serializers: { err: readableError, error: readableError } }, destination)
    : pino({ level, serializers: { err: readableError, error: readableError } })
