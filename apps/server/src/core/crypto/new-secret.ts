import { randomBytes } from 'node:crypto'

/** Returns a secret of 256 random bits as base64url. `prefix` tells people and secret scanners what the secret opens. */
export const createSecret = (prefix = '') => `${prefix}${randomBytes(32).toString('base64url')}`
