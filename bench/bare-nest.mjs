/** The least that Nest can be: one controller on Express. What the tracker's start is measured by. `node bare-nest.mjs PORT` */
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

class Probe {
  ready() {
    return { status: 'ready' };
  }
}
Controller()(Probe);
Get('readyz')(Probe.prototype, 'ready', Object.getOwnPropertyDescriptor(Probe.prototype, 'ready'));

class App {}
Module({ controllers: [Probe] })(App);

const app = await NestFactory.create(App, { logger: ['error', 'warn'] });
await app.listen(Number(process.argv[2]), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
