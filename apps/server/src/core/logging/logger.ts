import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '#core/config/config.ts'
import { formatError } from './readable-stack.ts'

/** Creates the JSON log of a process. `formatError` removes query parameters from every error. */
export const createLogger = (level: Config['logLevel'], destination?: DestinationStream): Logger =>
  destination
    ? pino({ level, serializers: { err: formatError, error: formatError } }, destination)
    : pino({ level, serializers: { err: formatError, error: formatError } })
